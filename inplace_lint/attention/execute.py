"""What each instruction does to an evaluation: which value its register holds afterwards, and what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax import ir
from . import calls, objects, ops
from .frames import Frame
from .terms import Term, is_const, is_tensor, items

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Any, TypeVar

    from .evaluate import Evaluation

    Name = TypeVar("Name", str, int)


def _constant(evaluation: Evaluation, i: ir.Constant) -> None:
    evaluation.set(i.dst, evaluation.terms.const(i.value, i.at))


def _load(evaluation: Evaluation, i: ir.Load) -> None:
    evaluation.set(i.dst, objects.load(evaluation, i.name))


def _store(evaluation: Evaluation, i: ir.Store) -> None:
    evaluation.frame.names[i.name] = evaluation.value(i.src)


def _delete(evaluation: Evaluation, i: ir.Delete) -> None:
    evaluation.frame.names.pop(i.name, None)


def _move(evaluation: Evaluation, i: ir.Move) -> None:
    evaluation.set(i.dst, evaluation.value(i.src))


def _get_attribute(evaluation: Evaluation, i: ir.GetAttribute) -> None:
    evaluation.set(i.dst, objects.attribute(evaluation, evaluation.value(i.obj), i.name, i.at))


def _set_attribute(evaluation: Evaluation, i: ir.SetAttribute) -> None:
    value, obj = evaluation.value(i.src), evaluation.value(i.obj)
    if evaluation.recorder is not None and obj is evaluation.recorder.obj:
        evaluation.recorder.set(i.name, value, bool(evaluation.frame.conditions))
        return
    evaluation.sink(i.at, "store", value)
    evaluation.effect(i.at, "store", value)
    evaluation.classes.written.add(i.name)
    while obj.op in ("attr", "member"):  # what `self.drop.p = …` changes is `self.drop`
        evaluation.classes.written.add(obj.args[1])
        obj = obj.args[0]


def _get_item(evaluation: Evaluation, i: ir.GetItem) -> None:
    evaluation.set(i.dst, evaluation.get_item(evaluation.value(i.obj), evaluation.value(i.index), i.at))


def _set_item(evaluation: Evaluation, i: ir.SetItem) -> None:
    obj = evaluation.value(i.obj)
    evaluation.sink(i.at, "item", evaluation.value(i.src))
    evaluation.replace(obj, evaluation.terms("opaque", obj, evaluation.value(i.src), "write", at=i.at), i.at)


def _binary(evaluation: Evaluation, i: ir.Binary) -> None:
    left, right = evaluation.value(i.left), evaluation.value(i.right)
    evaluation.set(i.dst, evaluation.binary(i.op, left, right, i.at))


def _augmented(evaluation: Evaluation, i: ir.Augmented) -> None:
    left = evaluation.value(i.left)
    term = evaluation.binary(i.op, left, evaluation.value(i.right), i.at)
    if left.op not in ("const", "size", "tuple"):
        evaluation.replace(left, term if is_tensor(left) else None, i.at)
    evaluation.set(i.dst, term)


def _compare(evaluation: Evaluation, i: ir.Compare) -> None:
    left, right = evaluation.value(i.left), evaluation.value(i.right)
    op = ops.OPERATORS.get(i.op, i.op)
    if op in ("is", "is not") and is_const(right, None) and left.op in _NEVER_NONE:
        evaluation.set(i.dst, evaluation.terms.const(op == "is not"))
        return
    if op in ("is", "is not") and is_const(right, None) and left.op == "const":
        evaluation.set(i.dst, evaluation.terms.const((left.args[0] is None) == (op == "is")))
        return
    evaluation.set(i.dst, evaluation.terms(op, left, right, at=i.at))


def _unary(evaluation: Evaluation, i: ir.Unary) -> None:
    operand = evaluation.value(i.operand)
    if i.op == "not":
        known = truth(operand)
        evaluation.set(
            i.dst,
            evaluation.terms("not", operand, at=i.at) if known is None else evaluation.terms.const(not known),
        )
    elif i.op == "pos":
        evaluation.set(i.dst, operand)
    else:
        evaluation.set(i.dst, evaluation.terms(i.op, operand, at=i.at))


def _build(evaluation: Evaluation, i: ir.Build) -> None:
    elements: list[Term] = []
    for starred, register in i.items:
        term = evaluation.value(register)
        if starred:
            inner = evaluation.spread(term, i.at) or items(term)
            if inner is None:
                elements.append(evaluation.terms("star", term, at=i.at))
            else:
                elements.extend(inner)
        else:
            elements.append(term)
    evaluation.set(i.dst, evaluation.terms(i.kind, *elements, at=i.at))


def _build_dict(evaluation: Evaluation, i: ir.BuildDict) -> None:
    operands = [evaluation.value(register) for _, register in i.items]
    evaluation.set(i.dst, evaluation.terms.opaque(i.at, *operands))


def _append(evaluation: Evaluation, i: ir.Append) -> None:
    evaluation.set(i.obj, evaluation.terms("comprehension", evaluation.value(i.src), at=i.at))


def _unpack(evaluation: Evaluation, i: ir.Unpack) -> None:
    source = evaluation.value(i.src)
    if i.star >= 0:
        elements = items(source)
        for number, register in enumerate(i.dsts):
            if number == i.star:
                evaluation.set(register, evaluation.terms("opaque", source, number, at=i.at))
            elif (
                elements is not None
                and number < i.star
                and number < len(elements)
                and not any(one.op == "star" for one in elements)
            ):
                evaluation.set(register, elements[number])
            elif source.op == "shape" and number < i.star:
                evaluation.set(
                    register,
                    evaluation.terms("size", source.args[0], evaluation.terms.const(number), at=i.at),
                )
            elif source.op == "shape" and number > i.star:
                from_end = evaluation.terms.const(number - len(i.dsts))
                evaluation.set(register, evaluation.terms("size", source.args[0], from_end, at=i.at))
            else:
                evaluation.set(register, evaluation.terms("opaque", source, number, at=i.at))
        return
    for number, register in enumerate(i.dsts):
        evaluation.set(register, evaluation.element(source, number, len(i.dsts), i.at))


def _make_function(evaluation: Evaluation, i: ir.MakeFunction) -> None:
    source = evaluation.frame.module.function_of(i.node)
    term = evaluation.terms("function", source, None, id(evaluation.frame), at=i.at)
    evaluation.classes.closures[term] = evaluation.frame
    for name in source.declared:
        frame: Frame | None = evaluation.frame
        while frame is not None:
            frame.unstable.add(name)
            frame = frame.enclosing
    evaluation.set(i.dst, term if not i.decorators else evaluation.terms.opaque(i.at))


def _unknown(evaluation: Evaluation, i: ir.MakeClass | ir.Opaque) -> None:
    operands = [evaluation.value(r) for r in getattr(i, "operands", ())]
    if isinstance(i, ir.Opaque) and i.kind == "string" and operands:
        pieces = _pieces(evaluation, i.at, operands)
        evaluation.set(i.dst, _joined(evaluation, pieces or operands, i.at))
        return
    evaluation.set(i.dst, evaluation.terms.opaque(i.at, *operands))


def _pieces(evaluation: Evaluation, node: ast.AST, values: list[Term]) -> list[Term] | None:
    """The parts of an f-string in order, those that are written out among them; None where a part is formatted."""
    made, left = [], list(values)
    for one in getattr(node, "values", ()):
        if hasattr(one, "conversion"):
            if one.conversion != -1 or one.format_spec is not None or not left:
                return None
            made.append(left.pop(0))
        else:
            made.append(evaluation.terms.const(one.value))
    return None if left else made


def _joined(evaluation: Evaluation, operands: list[Term], at: ast.AST) -> Term:
    """The string that constants make together, or one of two under a condition."""
    choice = next((one for one in operands if one.op == "phi"), None)
    if choice is not None and all(one is choice or is_const(one) for one in operands):
        arms = [[arm if one is choice else one for one in operands] for arm in choice.args[1:]]
        if all(is_const(one) for arm in arms for one in arm):
            then, orelse = (_joined(evaluation, arm, at) for arm in arms)
            return evaluation.phi(choice.args[0], then, orelse, at)
    if all(is_const(one) and isinstance(one.args[0], str) for one in operands):
        return evaluation.terms.const("".join(one.args[0] for one in operands), at)
    return evaluation.terms.opaque(at, *operands)


def _import(evaluation: Evaluation, i: ir.Import) -> None:
    evaluation.frame.names[i.name] = objects.imported(
        evaluation, evaluation.frame.module, i.module, i.member, i.level
    )


def _call(evaluation: Evaluation, i: ir.Call) -> None:
    arguments: list[Term] | None = []
    keywords: dict[str, Term] | None = {}
    loose: list[Term] = []
    func = evaluation.value(i.func)
    #: whether a `**rest` is passed to a function of the project, of which parameters it fills is not known
    opened = False
    # What else a layer or tensor of torch is made with (`**factory`: device and dtype) decides nothing here.
    builds = func.op == "symbol" and (calls.is_class(func.args[0]) or calls.is_maker(func.args[0]))
    for starred, register in i.args:
        term = evaluation.value(register)
        inner = evaluation.spread(term, i.at) if starred else (term,)
        if inner is None or arguments is None:
            loose += [term, *(arguments or ())]
            arguments = None
        else:
            arguments.extend(inner)
    for name, register in i.kwargs:
        term = evaluation.value(register)
        if name is None and builds:
            continue
        if name is None and func.op == "function":
            opened = True
            loose.append(term)
            continue
        if name is None or keywords is None:
            loose += [term, *(keywords or {}).values()]
            keywords = None
        else:
            keywords[name] = term
    evaluation.set(i.dst, calls.call(evaluation, func, arguments, keywords, loose, i.at, opened))


def _yield(evaluation: Evaluation, i: ir.Yield) -> None:
    if i.src is not None:
        evaluation.sink(i.at, "return", evaluation.value(i.src))
    evaluation.set(i.dst, evaluation.terms.opaque(i.at))


def _if(evaluation: Evaluation, i: ir.If) -> bool:
    frame = evaluation.frame
    test = evaluation.value(i.test)
    known = truth(test)
    if known is not None:
        return evaluation.block(i.then if known else i.orelse)
    evaluation.sink(i.at, "test", test)
    conditions = frame.conditions
    names, registers = dict(frame.names), dict(frame.registers)
    ends, after = [], []
    for holds, body in ((True, i.then), (False, i.orelse)):
        frame.names, frame.registers = dict(names), dict(registers)
        frame.conditions = (*conditions, (test, holds))
        ends.append(evaluation.block(body))
        after.append((frame.names, frame.registers))
    frame.conditions = conditions
    if ends[0] != ends[1]:
        frame.names, frame.registers = after[0] if ends[1] else after[1]
        frame.conditions = (*conditions, (test, ends[1]))
        return False
    frame.names = _join(evaluation, test, after[0][0], after[1][0])
    frame.registers = _join(evaluation, test, after[0][1], after[1][1])
    return ends[0]


def _join(
    evaluation: Evaluation, test: Term, then: dict[Name, Term], orelse: dict[Name, Term]
) -> dict[Name, Term]:
    joined = dict(then)
    for key, term in orelse.items():
        if key not in then:
            joined[key] = term
        elif then[key] is not term:
            joined[key] = evaluation.phi(test, then[key], term)
    return joined


def _loop(evaluation: Evaluation, i: ir.For | ir.While) -> bool:
    frame = evaluation.frame
    evaluation.order += 1
    evaluation.loops[id(i.at)] = evaluation.order
    before = dict(frame.names)
    kept = len(evaluation.moments), len(evaluation.sinks), len(evaluation.effects)
    unknown = _stored(i.body)
    for _ in range(2):
        for name in unknown:
            if name in frame.names:
                frame.names[name] = evaluation.terms("opaque", frame.names[name], name, "loop", at=i.at)
        entered = dict(frame.names)
        _round(evaluation, i)
        # What one round writes in place, the next finds changed.
        changed = {n for n, term in entered.items() if frame.names.get(n) is not term} - unknown
        if not changed:
            break
        del evaluation.moments[kept[0] :], evaluation.sinks[kept[1] :], evaluation.effects[kept[2] :]
        frame.names = dict(before)
        unknown = unknown | changed
    for name, term in before.items():
        after = frame.names.get(name)
        if after is not None and after is not term:
            frame.names[name] = evaluation.terms("opaque", term, after, name, "loop", at=i.at)
    evaluation.block(i.orelse)
    return False


def _round(evaluation: Evaluation, i: ir.For | ir.While) -> None:
    frame = evaluation.frame
    conditions = frame.conditions
    if isinstance(i, ir.For):
        evaluation.set(i.element, evaluation.terms("element", evaluation.value(i.iterable), at=i.at))
    else:
        evaluation.block(i.condition)
    frame.conditions = (*conditions, (evaluation.terms.opaque(i.at), True))
    evaluation.block(i.body)
    frame.conditions = conditions


def _with(evaluation: Evaluation, i: ir.With) -> bool:
    evaluation.set(i.dst, evaluation.terms.opaque(i.at))
    outer = evaluation.managers
    evaluation.managers = (*outer, id(i.at))
    ended = evaluation.block(i.body)
    evaluation.managers = outer
    return ended


def _try(evaluation: Evaluation, i: ir.Try) -> bool:
    frame = evaluation.frame
    conditions = frame.conditions
    frame.conditions = (*conditions, (evaluation.terms.opaque(i.at), True))
    ended = evaluation.block(i.body)
    frame.conditions = conditions
    normal = dict(frame.names)
    partly = _stored(i.body)
    for handler in i.handlers:
        frame.names = {**normal, **{name: evaluation.terms("opaque", name, at=i.at) for name in partly}}
        if not evaluation.block(handler):
            ended = False
            for name in partly | _stored(handler):
                normal[name] = evaluation.terms("opaque", name, 1, at=i.at)
    frame.names = normal
    if not ended:
        ended = evaluation.block(i.orelse)
    return evaluation.block(i.final) or ended


def _return(evaluation: Evaluation, i: ir.Return) -> bool:
    term = evaluation.terms.const(None) if i.src is None else evaluation.value(i.src)
    if evaluation.frame.depth == 0:
        evaluation.sink(i.at, "return", term)
    evaluation.frame.results.append((evaluation.frame.conditions, term))
    return True


def _leave(evaluation: Evaluation, i: ir.Raise) -> bool:
    return True


def _assert(evaluation: Evaluation, i: ir.Assert) -> None:
    evaluation.sink(i.at, "assert", evaluation.value(i.test))


_NEVER_NONE = frozenset(
    "matmul bmm baddbmm einsum softmax dropout add mul div sub masked_fill where transpose permute reshape size tuple "
    "list rearrange cast function new instance".split()
)


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


#: Whether control leaves the block, for those that may do so.
STEPS: dict[type[ir.Instruction], Callable[[Evaluation, Any], bool | None]] = {
    ir.Constant: _constant,
    ir.Load: _load,
    ir.Store: _store,
    ir.Delete: _delete,
    ir.Move: _move,
    ir.GetAttribute: _get_attribute,
    ir.SetAttribute: _set_attribute,
    ir.GetItem: _get_item,
    ir.SetItem: _set_item,
    ir.Call: _call,
    ir.Binary: _binary,
    ir.Augmented: _augmented,
    ir.Compare: _compare,
    ir.Unary: _unary,
    ir.Build: _build,
    ir.BuildDict: _build_dict,
    ir.Append: _append,
    ir.Unpack: _unpack,
    ir.MakeFunction: _make_function,
    ir.MakeClass: _unknown,
    ir.Import: _import,
    ir.Opaque: _unknown,
    ir.Yield: _yield,
    ir.If: _if,
    ir.For: _loop,
    ir.While: _loop,
    ir.With: _with,
    ir.Try: _try,
    ir.Return: _return,
    ir.Raise: _leave,
    ir.Break: _leave,
    ir.Continue: _leave,
    ir.Assert: _assert,
}
