"""Defines the value graph of one function: its terms, the moments that computed them, the sinks that consume them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from . import ops
from .aliases import bases
from .frames import Frame, Moment, Sink, Spent
from .terms import Term, Terms, integer, is_const, items

if TYPE_CHECKING:
    import ast

    from ..interp.values import Value
    from ..resolve.names import Names
    from ..syntax.module import ClassSource, FunctionSource, Module
    from .objects import Classes

#: Limit on the total number of may-alias facts in one graph; beyond it the function is given up (`Spent`).
_FACTS = 100_000
#: A `chunk` into more parts than this is not split into separate elements.
_PARTS = 8


class Runner(Protocol):
    """The interpreter run that fills a graph; the graph asks it what depends on Python's semantics."""

    def replace(self, old: Term, new: Term | None, at: ast.AST) -> None:
        """Handles a write that turned `old` into `new`: updates every name of it; possible aliases become opaque.

        `new` is None if several names with the term `old` need not be one object (an immutable number, for example).
        """

    def names(self) -> dict[str, tuple[Value, Term]]:
        """The local names at the current point of the run, each with its value and term."""

    def evaluated(self, node: ast.expr, moment: Moment) -> tuple[Term | None, bool]:
        """(the term of an expression evaluated at `moment`, None if it rebinds a name; whether it has side effects)."""

    def constant(self, module: Module, node: ast.expr) -> Term:
        """The term of an expression at the top level of a file."""

    def built(self, cls: ClassSource) -> dict[str, Term]:
        """The term of each attribute after the `__init__` of a class; empty if that cannot be followed."""


class Graph:
    """The value graph of one function called with arbitrary arguments.

    `moments` are the products, softmaxes, kernel calls and followed calls, in order; `sinks` are uses of values;
    `effects` are writes to memory, stores, prints and calls of unknown code.
    """

    def __init__(self, names: Names, root: FunctionSource, classes: Classes) -> None:
        #: resolves top-level names of files
        self.names = names
        self.root = root
        self.terms = Terms()
        self.moments: list[Moment] = []
        self.sinks: list[Sink] = []
        self.effects: list[Sink] = []
        #: (call, value, depth) of each `view`, which fails on memory layouts that `reshape` accepts
        self.viewed: list[tuple[ast.AST, Term, int]] = []
        #: results of calls that share no storage with the arguments
        self.fresh: set[Term] = set()
        self._memory: dict[Term, frozenset[Term]] = {}
        self._elements: dict[tuple[Term, int, int | None], Term] = {}
        #: known ranks, for example from `b, n, c = x.shape`; and the axis that a layer treats as channels
        self.ranks: dict[Term, int] = {}
        self.channels: dict[Term, int] = {}
        self.classes = classes
        #: methods that were followed on the receiver; a subclass may override them
        self.own_methods: set[str] = set()
        #: the position in `order` at which each loop begins, by the id of its node
        self.loops: dict[int, int] = {}
        #: the call in the root function that is being followed
        self.site: ast.AST | None = None
        self._facts = _FACTS
        self.order = 0
        #: the ids of the open `with` statements
        self.managers: tuple[int, ...] = ()
        self.frame = Frame(root.module, root, 0)
        self.runner: Runner

    def parameter(self, source: FunctionSource, name: str) -> Term:
        return self.terms("param", name, id(source), at=source.node)

    def sink(self, at: ast.AST, kind: str, term: Term) -> None:
        self.sinks.append(self._leaving(at, kind, term))

    def moment(self, at: ast.AST, term: Term) -> None:
        self.order += 1
        self.moments.append(Moment(at, term, self.frame, self.order, self.managers, self.runner.names()))

    def effect(self, at: ast.AST, kind: str, term: Term) -> None:
        self.effects.append(self._leaving(at, kind, term))

    def _leaving(self, at: ast.AST, kind: str, term: Term) -> Sink:
        site = at if self.site is None else self.site
        return Sink(at, kind, term, self.frame, self.order, site)

    def memory(self, term: Term) -> frozenset[Term]:
        """All values whose storage a value may share (memoised `aliases.bases`)."""
        known = self._memory.get(term)
        if known is None:
            known = self._memory[term] = frozenset(bases(term, self.fresh))
            self._facts -= len(known)
            if self._facts < 0:
                raise Spent
        return known

    def replace(self, old: Term, new: Term | None, at: ast.AST) -> None:
        """Records a write that turned `old` into `new` (see `Runner.replace`)."""
        self.effect(at, "write", old)
        self.runner.replace(old, new, at)

    def get_item(self, obj: Term, index: Term, at: ast.AST | None) -> Term:
        elements = items(obj)
        number = index.args[0] if index.op == "const" and type(index.args[0]) is int else None
        if elements is not None and number is not None and -len(elements) <= number < len(elements):
            plain = not any(one.op == "star" for one in elements)
            return elements[number] if plain else self.terms("opaque", obj, number, at=at)
        if obj.op == "shape" and number is not None:
            return self.terms("size", obj.args[0], index, at=at)
        if (
            obj.op in ("chunk", "split", "unbind", "call", "comprehension", "phi", "mha")
            and number is not None
        ):
            return self.element(obj, number, None, at)
        return self.terms("getitem", obj, index, at=at)

    def element(self, whole: Term, number: int, count: int | None, at: ast.AST | None) -> Term:
        """The n-th element of an unpacked value; `count` is the number of targets, if known."""
        elements = items(whole)
        if elements is not None:
            stars = [i for i, one in enumerate(elements) if one.op == "star"]
            if len(stars) == 1 and count is not None and number >= 0:
                first, width = stars[0], count - len(elements) + 1
                if number >= first + width:
                    return elements[number - count]
                if number >= first:
                    return self.element(elements[first].args[0], number - first, width, at)
                return elements[number]
            inside = not stars and -len(elements) <= number < len(elements)
            return elements[number] if inside else self.terms("opaque", whole, number, at=at)
        if whole.op == "shape":
            if count is not None:
                self.ranks.setdefault(whole.args[0], count)
            return self.terms("size", whole.args[0], self.terms.const(number), at=at)
        if whole.op == "phi":  # memoised, because many paths through nested `phi`s reach the same value
            known = self._elements.get((whole, number, count))
            if known is None:
                then, orelse = (self.element(arm, number, count, at) for arm in whole.args[1:])
                known = self._elements[whole, number, count] = self.phi(whole.args[0], then, orelse, at)
            return known
        return self.terms("item", whole, self.terms.const(number), self.terms.const(count), at=at)

    def spread(self, whole: Term, at: ast.AST | None) -> tuple[Term, ...] | None:
        """The elements of a value spread as `*x` in a call or tuple; None if their number is unknown."""
        elements = items(whole)
        if elements is not None:
            return None if any(one.op == "star" for one in elements) else elements
        parts = integer(whole.args[1]) if whole.op == "chunk" else None
        if parts is None or not 0 < parts <= _PARTS:
            return None
        return tuple(self.element(whole, number, parts, at) for number in range(parts))

    def binary(self, sign: str, left: Term, right: Term, at: ast.AST) -> Term:
        if sign == "+":
            a, b = items(left), items(right)
            if a is not None and b is not None:
                return self.terms(left.op, *a, *b, at=at)
        term = self.terms(ops.OPERATORS.get(sign, "opaque"), left, right, at=at)
        if term.op == "matmul":
            self.moment(at, term)
        return term

    def phi(self, test: Term, then: Term, orelse: Term, at: ast.AST | None = None) -> Term:
        """Joins the values of two arms. An arm that is `x` where the test says `x is None` becomes the constant."""
        if test.op in ("is", "is not") and is_const(test.args[1], None):
            if test.op == "is" and then is test.first:
                then = test.args[1]
            elif test.op == "is not" and orelse is test.first:
                orelse = test.args[1]
        return then if then is orelse else self.terms("phi", test, then, orelse, at=at)
