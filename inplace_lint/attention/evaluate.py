"""A function's value graph: its instructions run over terms, into the helpers and methods of the same project.

Every condition is followed both ways: what differs afterwards is `phi(test, then, else)`. A loop's body is run once
for any round. What is not known is opaque, and so is what an unknown call may have changed.
"""

from __future__ import annotations

from ..syntax import ir
from . import calls, objects, ops
from .aliases import are_disjoint, bases
from .frames import Frame, Moment, Sink
from .terms import Term, Terms, is_const, is_tensor, items

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Any

    from ..syntax.files import Files
    from ..syntax.module import FunctionSource, Module
    from .frames import Environment

#: Instructions that one function may cost, helpers included; and how deep calls are followed.
_BUDGET = 6000
_DEPTH = 5


class Spent(Exception):
    """The budget is used up: nothing is said of the function."""


class Evaluation:
    """The value graph of one function called with any arguments.

    `moments` are the products, softmaxes and kernel calls, and calls of helpers, in order; `sinks` where values go;
    `effects` what else happens: memory that is written, and calls of what is not known.
    """

    def __init__(self, files: Files, root: FunctionSource) -> None:
        self.files = files
        self.root = root
        self.terms = Terms()
        #: what names at the top level of files are, once they were asked for
        self.globals: dict[tuple[Module, str], Term] = {}
        self.moments: list[Moment] = []
        self.sinks: list[Sink] = []
        self.effects: list[Sink] = []
        #: results of calls that share no memory with what the call was given
        self.fresh: set[Term] = set()
        self._memory: dict[Term, frozenset[Term]] = {}
        #: rank of values that are unpacked by shape; the axis of values that layers read as channels
        self.ranks: dict[Term, int] = {}
        self.channels: dict[Term, int] = {}
        self.classes = objects.Classes(self)
        self.recorder: objects.Attributes | None = None
        self.entered: list[FunctionSource] = []
        #: where in the order the loops begin, by the numbers of their nodes
        self.loops: dict[int, int] = {}
        #: the call in the evaluated function itself that is being followed
        self.site: ast.AST | None = None
        self._left = _BUDGET
        self._order = 0
        #: the `with` statements that are entered, as the numbers of their nodes
        self._managers: tuple[int, ...] = ()
        self.frame = Frame(root.module, root, 0)

    def run(self) -> Term | None:
        """The value that the function returns. Raises Spent."""
        source = self.root
        frame = self.frame
        arguments = source.node.args
        for index, parameter in enumerate((*source.parameters, *arguments.kwonlyargs)):
            if index == 0 and source.owner is not None and not objects.is_static(source):
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
        if frame.depth >= _DEPTH or source in self.entered or source.is_generator:
            return None
        inner = Frame(source.module, source, frame.depth + 1, enclosing)
        inner.names, inner.self_, inner.caller = names, self_, frame
        inner.conditions = frame.conditions
        inner.base = len(frame.conditions)
        self.entered.append(source)
        try:
            return self.body(inner)
        finally:
            self.entered.pop()

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

    # Blocks

    def block(self, instructions: ir.Block) -> bool:
        """Run instructions; whether control leaves the block early (return, raise, break) on every path."""
        for instruction in instructions:
            self._left -= 1
            if self._left < 0:
                raise Spent
            kind = type(instruction)
            if kind in _STEPS and _STEPS[kind](self, instruction):
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
        self._order += 1
        self.moments.append(Moment(at, term, self.frame, self._order, self._managers))

    def effect(self, at: ast.AST, kind: str, term: Term) -> None:
        self.effects.append(self._leaving(at, kind, term))

    def _leaving(self, at: ast.AST, kind: str, term: Term) -> Sink:
        site = at if self.site is None else self.site
        return Sink(at, kind, term, self.frame, self._order, site)

    def memory(self, term: Term) -> frozenset[Term]:
        """All values whose memory a value may share."""
        known = self._memory.get(term)
        if known is None:
            known = self._memory[term] = frozenset(bases(term, self.fresh))
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
                    names[key] = self.terms.opaque(at, term)

    def _constant(self, i: ir.Constant) -> None:
        self.set(i.dst, self.terms.const(i.value, i.at))

    def _load(self, i: ir.Load) -> None:
        self.set(i.dst, objects.load(self, i.name))

    def _store(self, i: ir.Store) -> None:
        self.frame.names[i.name] = self.value(i.src)

    def _delete(self, i: ir.Delete) -> None:
        self.frame.names.pop(i.name, None)

    def _move(self, i: ir.Move) -> None:
        self.set(i.dst, self.value(i.src))

    def _get_attribute(self, i: ir.GetAttribute) -> None:
        self.set(i.dst, objects.attribute(self, self.value(i.obj), i.name, i.at))

    def _set_attribute(self, i: ir.SetAttribute) -> None:
        value, obj = self.value(i.src), self.value(i.obj)
        if self.recorder is not None and obj is self.recorder.obj:
            self.recorder.set(i.name, value, bool(self.frame.conditions))
            return
        self.sink(i.at, "store", value)
        self.effect(i.at, "store", value)
        self.classes.written.add(i.name)
        while obj.op in ("attr", "member"):  # what `self.drop.p = …` changes is `self.drop`
            self.classes.written.add(obj.args[1])
            obj = obj.args[0]

    def _get_item(self, i: ir.GetItem) -> None:
        self.set(i.dst, self.get_item(self.value(i.obj), self.value(i.index), i.at))

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
        if whole.op == "phi":
            then, orelse = (self.element(arm, number, count, at) for arm in whole.args[1:])
            return self.phi(whole.args[0], then, orelse, at)
        if whole.op == "mapped" and count is not None:
            source = self.element(whole.args[1], number, count, at)
            made = calls.apply(self, whole.args[0], [source], {}, at)
            if made is not None:
                return made
        return self.terms("item", whole, self.terms.const(number), self.terms.const(count), at=at)

    def _set_item(self, i: ir.SetItem) -> None:
        obj = self.value(i.obj)
        self.sink(i.at, "item", self.value(i.src))
        self.replace(obj, self.terms.opaque(i.at, obj, self.value(i.src)), i.at)

    def _binary(self, i: ir.Binary) -> None:
        left, right = self.value(i.left), self.value(i.right)
        self.set(i.dst, self.binary(i.op, left, right, i.at))

    def binary(self, sign: str, left: Term, right: Term, at: ast.AST) -> Term:
        if sign == "+":
            a, b = items(left), items(right)
            if a is not None and b is not None:
                return self.terms(left.op, *a, *b, at=at)
        term = self.terms(ops.OPERATORS.get(sign, "opaque"), left, right, at=at)
        if term.op == "matmul":
            self.moment(at, term)
        return term

    def _augmented(self, i: ir.Augmented) -> None:
        left = self.value(i.left)
        term = self.binary(i.op, left, self.value(i.right), i.at)
        if left.op not in ("const", "size", "tuple"):
            self.replace(left, term if is_tensor(left) else None, i.at)
        self.set(i.dst, term)

    def _compare(self, i: ir.Compare) -> None:
        left, right = self.value(i.left), self.value(i.right)
        op = ops.OPERATORS.get(i.op, i.op)
        if op in ("is", "is not") and is_const(right, None) and left.op in _NEVER_NONE:
            self.set(i.dst, self.terms.const(op == "is not"))
            return
        if op in ("is", "is not") and is_const(right, None) and left.op == "const":
            self.set(i.dst, self.terms.const((left.args[0] is None) == (op == "is")))
            return
        self.set(i.dst, self.terms(op, left, right, at=i.at))

    def _unary(self, i: ir.Unary) -> None:
        operand = self.value(i.operand)
        if i.op == "not":
            known = truth(operand)
            self.set(
                i.dst, self.terms("not", operand, at=i.at) if known is None else self.terms.const(not known)
            )
        elif i.op == "pos":
            self.set(i.dst, operand)
        else:
            self.set(i.dst, self.terms(i.op, operand, at=i.at))

    def _build(self, i: ir.Build) -> None:
        elements: list[Term] = []
        for starred, register in i.items:
            term = self.value(register)
            if starred:
                inner = items(term)
                if inner is None:
                    elements.append(self.terms("star", term, at=i.at))
                else:
                    elements.extend(inner)
            else:
                elements.append(term)
        self.set(i.dst, self.terms(i.kind, *elements, at=i.at))

    def _build_dict(self, i: ir.BuildDict) -> None:
        operands = [self.value(register) for _, register in i.items]
        self.set(i.dst, self.terms.opaque(i.at, *operands))

    def _append(self, i: ir.Append) -> None:
        self.set(i.obj, self.terms("comprehension", self.value(i.src), at=i.at))

    def _unpack(self, i: ir.Unpack) -> None:
        source = self.value(i.src)
        if i.star >= 0:
            elements = items(source)
            for number, register in enumerate(i.dsts):
                if number == i.star:
                    self.set(register, self.terms("opaque", source, number, at=i.at))
                elif (
                    elements is not None
                    and number < i.star
                    and number < len(elements)
                    and not any(one.op == "star" for one in elements)
                ):
                    self.set(register, elements[number])
                elif source.op == "shape" and number < i.star:
                    self.set(register, self.terms("size", source.args[0], self.terms.const(number), at=i.at))
                elif source.op == "shape" and number > i.star:
                    from_end = self.terms.const(number - len(i.dsts))
                    self.set(register, self.terms("size", source.args[0], from_end, at=i.at))
                else:
                    self.set(register, self.terms("opaque", source, number, at=i.at))
            return
        for number, register in enumerate(i.dsts):
            self.set(register, self.element(source, number, len(i.dsts), i.at))

    def _make_function(self, i: ir.MakeFunction) -> None:
        source = self.frame.module.function_of(i.node)
        term = self.terms("function", source, None, id(self.frame), at=i.at)
        self.classes.closures[term] = self.frame
        for name in source.declared:
            frame: Frame | None = self.frame
            while frame is not None:
                frame.unstable.add(name)
                frame = frame.enclosing
        self.set(i.dst, term if not i.decorators else self.terms.opaque(i.at))

    def _unknown(self, i: ir.MakeClass | ir.Opaque) -> None:
        operands = [self.value(r) for r in getattr(i, "operands", ())]
        self.set(i.dst, self.terms.opaque(i.at, *operands))

    def _import(self, i: ir.Import) -> None:
        self.frame.names[i.name] = objects.imported(self, self.frame.module, i.module, i.member, i.level)

    def _call(self, i: ir.Call) -> None:
        arguments: list[Term] | None = []
        keywords: dict[str, Term] | None = {}
        loose: list[Term] = []
        func = self.value(i.func)
        # What else a layer of torch is built with (`**factory`: device and dtype) decides nothing here.
        builds = func.op == "symbol" and func.args[0].startswith("torch.nn.") and calls.is_class(func.args[0])
        for starred, register in i.args:
            term = self.value(register)
            inner = items(term) if starred else (term,)
            if inner is None or arguments is None:
                loose += [term, *(arguments or ())]
                arguments = None
            else:
                arguments.extend(inner)
        for name, register in i.kwargs:
            term = self.value(register)
            if name is None and builds:
                continue
            if name is None or keywords is None:
                loose += [term, *(keywords or {}).values()]
                keywords = None
            else:
                keywords[name] = term
        self.set(i.dst, calls.call(self, func, arguments, keywords, loose, i.at))

    def _yield(self, i: ir.Yield) -> None:
        if i.src is not None:
            self.sink(i.at, "return", self.value(i.src))
        self.set(i.dst, self.terms.opaque(i.at))

    # Control flow

    def phi(self, test: Term, then: Term, orelse: Term, at: ast.AST | None = None) -> Term:
        return then if then is orelse else self.terms("phi", test, then, orelse, at=at)

    def _if(self, i: ir.If) -> bool:
        frame = self.frame
        test = self.value(i.test)
        known = truth(test)
        if known is not None:
            return self.block(i.then if known else i.orelse)
        self.sink(i.at, "test", test)
        conditions = frame.conditions
        names, registers = dict(frame.names), dict(frame.registers)
        ends, after = [], []
        for holds, body in ((True, i.then), (False, i.orelse)):
            frame.names, frame.registers = dict(names), dict(registers)
            frame.conditions = (*conditions, (test, holds))
            ends.append(self.block(body))
            after.append((frame.names, frame.registers))
        frame.conditions = conditions
        if ends[0] != ends[1]:
            frame.names, frame.registers = after[0] if ends[1] else after[1]
            frame.conditions = (*conditions, (test, ends[1]))
            return False
        frame.names = self._join(test, after[0][0], after[1][0])
        frame.registers = self._join(test, after[0][1], after[1][1])
        return ends[0]

    def _join(self, test: Term, then: dict, orelse: dict) -> dict:  # type: ignore[type-arg]
        joined = dict(then)
        for key, term in orelse.items():
            if key not in then:
                joined[key] = term
            elif then[key] is not term:
                joined[key] = self.terms("phi", test, then[key], term)
        return joined

    def _loop(self, i: ir.For | ir.While) -> bool:
        frame = self.frame
        self._order += 1
        self.loops[id(i.at)] = self._order
        before = dict(frame.names)
        kept = len(self.moments), len(self.sinks), len(self.effects)
        unknown = _stored(i.body)
        for _ in range(2):
            for name in unknown:
                if name in frame.names:
                    frame.names[name] = self.terms("opaque", frame.names[name], name, at=i.at)
            entered = dict(frame.names)
            self._round(i)
            # What one round writes in place, the next finds changed.
            changed = {n for n, term in entered.items() if frame.names.get(n) is not term} - unknown
            if not changed:
                break
            del self.moments[kept[0] :], self.sinks[kept[1] :], self.effects[kept[2] :]
            frame.names = dict(before)
            unknown = unknown | changed
        for name, term in before.items():
            after = frame.names.get(name)
            if after is not None and after is not term:
                frame.names[name] = self.terms("opaque", term, after, name, at=i.at)
        self.block(i.orelse)
        return False

    def _round(self, i: ir.For | ir.While) -> None:
        frame = self.frame
        conditions = frame.conditions
        if isinstance(i, ir.For):
            self.set(i.element, self.terms("element", self.value(i.iterable), at=i.at))
        else:
            self.block(i.condition)
        frame.conditions = (*conditions, (self.terms.opaque(i.at), True))
        self.block(i.body)
        frame.conditions = conditions

    def _with(self, i: ir.With) -> bool:
        self.set(i.dst, self.terms.opaque(i.at))
        outer = self._managers
        self._managers = (*outer, id(i.at))
        ended = self.block(i.body)
        self._managers = outer
        return ended

    def _try(self, i: ir.Try) -> bool:
        frame = self.frame
        conditions = frame.conditions
        frame.conditions = (*conditions, (self.terms.opaque(i.at), True))
        ended = self.block(i.body)
        frame.conditions = conditions
        normal = dict(frame.names)
        partly = _stored(i.body)
        for handler in i.handlers:
            frame.names = {**normal, **{name: self.terms("opaque", name, at=i.at) for name in partly}}
            if not self.block(handler):
                ended = False
                for name in partly | _stored(handler):
                    normal[name] = self.terms("opaque", name, 1, at=i.at)
        frame.names = normal
        if not ended:
            ended = self.block(i.orelse)
        return self.block(i.final) or ended

    def _return(self, i: ir.Return) -> bool:
        term = self.terms.const(None) if i.src is None else self.value(i.src)
        if self.frame.depth == 0:
            self.sink(i.at, "return", term)
        self.frame.results.append((self.frame.conditions, term))
        return True

    def _leave(self, i: ir.Raise) -> bool:
        return True

    def _assert(self, i: ir.Assert) -> None:
        self.sink(i.at, "assert", self.value(i.test))


_NEVER_NONE = frozenset(
    "matmul bmm baddbmm einsum softmax dropout add mul div sub masked_fill where transpose permute reshape size tuple "
    "list rearrange cast function new instance".split()
)


#: What is no tensor.
_NO_MEMORY = frozenset("const symbol size shape function instance class module slice finfo not".split())


def truth(term: Term) -> bool | None:
    """Whether a term is true, where that is known."""
    if term.op == "const":
        return bool(term.args[0])
    if term.op == "not":
        inner = truth(term.args[0])
        return None if inner is None else not inner
    return True if term.op in ("function", "new") else None


def _stored(block: ir.Block) -> set[str]:
    """Names that a block binds."""
    found: set[str] = set()
    stack: list[ir.Instruction] = list(block)
    while stack:
        instruction = stack.pop()
        if isinstance(instruction, ir.Store):
            found.add(instruction.name)
        for field in ("then", "orelse", "body", "condition", "final"):
            stack.extend(getattr(instruction, field, ()))
        for handler in getattr(instruction, "handlers", ()):
            stack.extend(handler)
    return found


_STEPS: dict[type[ir.Instruction], Callable[[Evaluation, Any], bool | None]] = {
    ir.Constant: Evaluation._constant,
    ir.Load: Evaluation._load,
    ir.Store: Evaluation._store,
    ir.Delete: Evaluation._delete,
    ir.Move: Evaluation._move,
    ir.GetAttribute: Evaluation._get_attribute,
    ir.SetAttribute: Evaluation._set_attribute,
    ir.GetItem: Evaluation._get_item,
    ir.SetItem: Evaluation._set_item,
    ir.Call: Evaluation._call,
    ir.Binary: Evaluation._binary,
    ir.Augmented: Evaluation._augmented,
    ir.Compare: Evaluation._compare,
    ir.Unary: Evaluation._unary,
    ir.Build: Evaluation._build,
    ir.BuildDict: Evaluation._build_dict,
    ir.Append: Evaluation._append,
    ir.Unpack: Evaluation._unpack,
    ir.MakeFunction: Evaluation._make_function,
    ir.MakeClass: Evaluation._unknown,
    ir.Import: Evaluation._import,
    ir.Opaque: Evaluation._unknown,
    ir.Yield: Evaluation._yield,
    ir.If: Evaluation._if,
    ir.For: Evaluation._loop,
    ir.While: Evaluation._loop,
    ir.With: Evaluation._with,
    ir.Try: Evaluation._try,
    ir.Return: Evaluation._return,
    ir.Raise: Evaluation._leave,
    ir.Break: Evaluation._leave,
    ir.Continue: Evaluation._leave,
    ir.Assert: Evaluation._assert,
}
