"""A function's value graph: its instructions run over terms, into the helpers and methods of the same project.

Every condition is followed both ways: what differs afterwards is `phi(test, then, else)`. A loop's body is run once
for any round. What is not known is opaque, and so is what an unknown call may have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import calls, objects, ops
from .aliases import are_disjoint, bases
from .execute import STEPS
from .frames import Frame, Moment, Sink, Spent, Unfollowed
from .terms import Term, Terms, integer, is_const, items

if TYPE_CHECKING:
    import ast
    from typing import Any

    from ..resolve.classes import Classes as Hierarchy
    from ..syntax import ir
    from ..syntax.module import ClassSource, FunctionSource, Module
    from .frames import Environment

#: Instructions that one function may cost, helpers included; and how deep calls are followed.
_BUDGET = 6000
#: ... and so much may be known of who shares memory with whom.
_FACTS = 100_000
_DEPTH = 5


#: More parts than this are not told apart.
_PARTS = 8


class Evaluation:
    """The value graph of one function called with any arguments.

    `moments` are the products, softmaxes and kernel calls, and calls of helpers, in order; `sinks` where values go;
    `effects` what else happens: memory that is written, and calls of what is not known.
    """

    def __init__(self, hierarchy: Hierarchy, root: FunctionSource, depth: int = _DEPTH) -> None:
        #: what the names at the top level of files stand for
        self.names = hierarchy.names
        self.root = root
        #: how many calls deep functions of the project are followed
        self.depth = depth
        self.terms = Terms()
        #: what names at the top level of files are, once they were asked for
        self.globals: dict[tuple[Module, str], Term] = {}
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
        self.classes = objects.Classes(self, hierarchy)
        self.recorder: objects.Attributes | None = None
        self.entered: list[FunctionSource] = []
        #: methods that were followed on the object at hand: an object of a subclass may have others in their place
        self.own_methods: set[str] = set()
        #: where in the order the loops begin, by the numbers of their nodes
        self.loops: dict[int, int] = {}
        #: the call in the evaluated function itself that is being followed
        self.site: ast.AST | None = None
        self._left = _BUDGET
        self._facts = _FACTS
        self.order = 0
        #: the `with` statements that are entered, as the numbers of their nodes
        self.managers: tuple[int, ...] = ()
        self.frame = Frame(root.module, root, 0)

    def run(self) -> Term | None:
        """The value that the function returns. Raises Spent."""
        source = self.root
        frame = self.frame
        arguments = source.node.args
        for index, parameter in enumerate((*source.parameters, *arguments.kwonlyargs)):
            if index == 0 and source.owner is not None and source.descriptor != "staticmethod":
                frame.self_ = self.classes.instance(source.owner)
                frame.names[parameter.arg] = frame.self_
            else:
                frame.names[parameter.arg] = self.parameter(source, parameter.arg)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                frame.names[extra.arg] = self.terms("param", extra.arg, "*", at=source.node)
        self.terms.function = source
        self.entered = [source]
        return self.body(frame)

    def attributes_from(self, init: FunctionSource, cls: ClassSource, depth: int) -> dict[str, list[Term]]:
        """What this `__init__` gives the attributes of an object of the class; none where it cannot be followed."""
        inner = Evaluation(self.classes.hierarchy, init, depth)
        inner.terms, inner.globals, inner.classes = self.terms, self.globals, self.classes
        inner.recorder = objects.Attributes(self.classes.instance(cls))
        function = self.terms.function
        try:
            inner.run()
        except (Spent, Unfollowed):
            return {}
        finally:
            self.terms.function = function
        return inner.recorder.held

    def parameter(self, source: FunctionSource, name: str) -> Term:
        return self.terms("param", name, id(source), at=source.node)

    def body(self, frame: Frame) -> Term | None:
        """Run a frame's function; what it returns."""
        assert frame.function is not None
        outer, self.frame = self.frame, frame
        before, self.terms.function = self.terms.function, frame.function
        try:
            ended = self.block(frame.function.body)
            if not ended:
                frame.results.append((frame.conditions, self.terms.const(None)))
            return self._returned(frame)
        finally:
            self.frame = outer
            self.terms.function = before

    def enter(
        self, source: FunctionSource, names: Environment, self_: Term | None, enclosing: Frame | None
    ) -> Term | None:
        """The value of a call of a function of the project; None if it is not followed."""
        frame = self.frame
        if frame.depth >= self.depth or source in self.entered or source.is_generator:
            return None
        inner = Frame(source.module, source, frame.depth + 1, enclosing)
        inner.names, inner.self_, inner.caller = names, self_, frame
        inner.conditions = frame.conditions
        inner.base = len(frame.conditions)
        self.entered.append(source)
        if self_ is not None and source.owner is not None and self_ is self._receiver():
            self.own_methods.add(source.name)
        try:
            return self.body(inner)
        finally:
            self.entered.pop()

    def _receiver(self) -> Term | None:
        """The object that the evaluated function is a method of."""
        outermost = self.frame
        while outermost.caller is not None:
            outermost = outermost.caller
        return outermost.self_

    def _returned(self, frame: Frame) -> Term:
        if not frame.results:
            return self.terms.const(None)
        value = frame.results[-1][1]
        for conditions, other in reversed(frame.results[:-1]):
            if other is value:
                continue
            chosen = other
            for test, holds in reversed(conditions[frame.base :]):
                chosen = self.phi(test, chosen, value) if holds else self.phi(test, value, chosen)
            value = chosen
        return value

    def block(self, instructions: ir.Block) -> bool:
        """Run instructions; whether control leaves the block early (return, raise, break) on every path."""
        for instruction in instructions:
            self._left -= 1
            if self._left < 0:
                raise Spent
            kind = type(instruction)
            if kind in STEPS and STEPS[kind](self, instruction):
                return True
        return False

    def value(self, register: int) -> Term:
        term = self.frame.registers.get(register)
        if term is None:
            term = self.frame.registers[register] = self.terms.opaque(None)
        return term

    def set(self, register: int, term: Term) -> None:
        self.frame.registers[register] = term

    def sink(self, at: ast.AST, kind: str, term: Term) -> None:
        self.sinks.append(self._leaving(at, kind, term))

    def moment(self, at: ast.AST, term: Term) -> None:
        self.order += 1
        self.moments.append(Moment(at, term, self.frame, self.order, self.managers))

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
        """A write turned `old` into `new`, for every name of it; what may share its memory becomes unknown.

        `new` is None where it is not known that names of `old` are names of one object (it may be a number).
        """
        self.effect(at, "write", old)
        held: list[dict[Any, Term]] = []
        frame: Frame | None = self.frame
        while frame is not None:  # a helper changes what its callers hold, too
            held += (frame.names, frame.registers)
            frame = frame.caller
        held += [made.names for made in self.classes.closures.values()]
        memory = self.memory(old)
        passed_over = _NO_MEMORY if any(one.op == "attr" for one in memory) else _NO_MEMORY | {"attr"}
        known = self._memory
        for names in held:
            for key, term in list(names.items()):
                if term is old and new is not None:
                    names[key] = new
                elif term.op in passed_over or term is new:
                    continue
                elif not memory.isdisjoint(known.get(term) or self.memory(term)) and not are_disjoint(
                    term, old
                ):
                    # What it was made unknown from before is all that is to be known of it: the chain stays short.
                    while term.op == "opaque" and term.args[1:] == ("write",):
                        term = term.first
                    names[key] = self.terms("opaque", term, "write", at=at)

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
        if whole.op == "mapped" and count is not None:
            source = self.element(whole.args[1], number, count, at)
            made = calls.apply(self, whole.args[0], [source], {}, at)
            if made is not None:
                return made
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


#: What is no tensor.
_NO_MEMORY = frozenset("const symbol size shape function instance class module slice finfo not".split())
