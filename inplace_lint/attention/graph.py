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

#: So much may be known of who shares memory with whom.
_FACTS = 100_000
#: More parts than this are not told apart.
_PARTS = 8


class Runner(Protocol):
    """The run that fills a graph, and that is asked what only Python's semantics tell."""

    def replace(self, old: Term, new: Term | None, at: ast.AST) -> None:
        """A write turned `old` into `new`, for every name of it; what may share its memory becomes unknown.

        `new` is None where it is not known that names of `old` are names of one object (it may be a number).
        """

    def names(self) -> dict[str, tuple[Value, Term]]:
        """What the local names hold where the run stands."""

    def evaluated(self, node: ast.expr, moment: Moment) -> tuple[Term | None, bool]:
        """The value of an expression where a moment stands, None if it changes a name; whether it does more."""

    def constant(self, module: Module, node: ast.expr) -> Term:
        """The value of an expression at the top level of a file."""

    def built(self, cls: ClassSource) -> dict[str, Term]:
        """What the `__init__` of a class leaves under each attribute; empty where it is not followed."""


class Graph:
    """The value graph of one function called with any arguments.

    `moments` are the products, softmaxes and kernel calls, and calls of helpers, in order; `sinks` where values go;
    `effects` what else happens: memory that is written, and calls of what is not known.
    """

    def __init__(self, names: Names, root: FunctionSource, classes: Classes) -> None:
        #: what the names at the top level of files stand for
        self.names = names
        self.root = root
        self.terms = Terms()
        self.moments: list[Moment] = []
        self.sinks: list[Sink] = []
        self.effects: list[Sink] = []
        #: (call, value, depth) of each `view`, which asks for more of its layout in memory than `reshape` does
        self.viewed: list[tuple[ast.AST, Term, int]] = []
        #: results of calls that share no memory with what the call was given
        self.fresh: set[Term] = set()
        self._memory: dict[Term, frozenset[Term]] = {}
        self._elements: dict[tuple[Term, int, int | None], Term] = {}
        #: rank of values that are unpacked by shape; the axis of values that layers read as channels
        self.ranks: dict[Term, int] = {}
        self.channels: dict[Term, int] = {}
        self.classes = classes
        #: methods that were followed on the object at hand: an object of a subclass may have others in their place
        self.own_methods: set[str] = set()
        #: where in the order the loops begin, by the numbers of their nodes
        self.loops: dict[int, int] = {}
        #: the call in the function itself that is being followed
        self.site: ast.AST | None = None
        self._facts = _FACTS
        self.order = 0
        #: the `with` statements that are entered, as the numbers of their nodes
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
        """All values whose memory a value may share."""
        known = self._memory.get(term)
        if known is None:
            known = self._memory[term] = frozenset(bases(term, self.fresh))
            self._facts -= len(known)
            if self._facts < 0:
                raise Spent
        return known

    def replace(self, old: Term, new: Term | None, at: ast.AST) -> None:
        """A write turned `old` into `new` (`Runner.replace`)."""
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
        """The n-th element of a value that is taken apart."""
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
        if whole.op == "phi":  # conditions make a graph of them, in which many paths lead to one value
            known = self._elements.get((whole, number, count))
            if known is None:
                then, orelse = (self.element(arm, number, count, at) for arm in whole.args[1:])
                known = self._elements[whole, number, count] = self.phi(whole.args[0], then, orelse, at)
            return known
        return self.terms("item", whole, self.terms.const(number), self.terms.const(count), at=at)

    def spread(self, whole: Term, at: ast.AST | None) -> tuple[Term, ...] | None:
        """The elements of what is spread in a call or a tuple, or None where it is not known how many there are."""
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
        """One value or the other; what is None by the test itself is None."""
        if test.op in ("is", "is not") and is_const(test.args[1], None):
            if test.op == "is" and then is test.first:
                then = test.args[1]
            elif test.op == "is not" and orelse is test.first:
                orelse = test.args[1]
        return then if then is orelse else self.terms("phi", test, then, orelse, at=at)
