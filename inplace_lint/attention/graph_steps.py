"""Overrides the interpreter's instruction handlers so that they also build the term of each result.

`NOTED` applies to every run that builds a value graph, `GENERAL` only to runs that describe any configuration.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..interp import blocks, containers, loops
from ..interp.execute import HANDLERS
from ..interp.frames import Loop, State
from ..interp.guards import literal
from ..interp.values import Constant, Phi, Scalar, Sequence_, Tensor, Unknown, Value
from ..syntax import ir
from . import objects, ops
from .terms import Term, is_const, is_tensor

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .graph import Graph
    from .graph_run import GraphRun

    Block: TypeAlias = "list[ir.Instruction]"
    Steps: TypeAlias = "dict[type[ir.Instruction], Callable[[Any, Any], None]]"

_PLAIN = (Tensor, Unknown, Scalar, Constant)
#: Operations whose value is never None.
_NEVER_NONE = frozenset(
    "matmul bmm baddbmm einsum softmax dropout add mul div sub masked_fill where transpose permute reshape size tuple "
    "list rearrange cast function new instance".split()
)


def _register(run: GraphRun, number: int) -> Value:
    value = run.frame.registers.get(number)
    return Unknown() if value is None else value


def _term(run: GraphRun, number: int) -> Term:
    return run.term(_register(run, number))


def _is_plain(*values: Value) -> bool:
    """Whether an operator on these values computes with tensors or numbers, and is not folded as a constant."""
    if all(isinstance(value, Constant) for value in values):
        return False
    return all(isinstance(value, _PLAIN) for value in values) or any(isinstance(v, Phi) for v in values)


def _computes(run: GraphRun, *values: Value) -> bool:
    """Whether an operator on these values becomes a term; one operand may be a sequence (`x.shape + (1,)`)."""
    if _is_plain(*values):
        return True
    noted = any(run.is_noted(value) and isinstance(value, (Tensor, Unknown, Scalar)) for value in values)
    return noted and all(isinstance(value, (*_PLAIN, Sequence_)) for value in values)


def _binary(run: GraphRun, i: ir.Binary) -> None:
    left, right = _register(run, i.left), _register(run, i.right)
    if _computes(run, left, right):
        term = run.stand().binary(i.op, run.term(left), run.term(right), i.at)
        run.frame.registers[i.dst] = run.value_of(term)
        return
    HANDLERS[ir.Binary](run, i)
    made = _register(run, i.dst)
    if isinstance(left, Constant) and isinstance(right, Constant) and not isinstance(made, Constant):
        term = run.stand().binary(i.op, run.term(left), run.term(right), i.at)
        run.frame.registers[i.dst] = run.value_of(term)


def _augmented(run: GraphRun, i: ir.Augmented) -> None:
    left, right = _register(run, i.left), _register(run, i.right)
    if not _computes(run, left, right) or isinstance(left, Sequence_):
        HANDLERS[ir.Augmented](run, i)
        return
    graph, before = run.stand(), run.term(left)
    term = graph.binary(i.op, before, run.term(right), i.at)
    if before.op not in ("const", "size", "tuple"):
        graph.replace(before, term if is_tensor(before) else None, i.at)
    run.frame.registers[i.dst] = run.value_of(term)


def _compare(run: GraphRun, i: ir.Compare) -> None:
    left, right = _register(run, i.left), _register(run, i.right)
    graph, op = run.stand(), ops.OPERATORS.get(i.op, i.op)
    if run.general and _is_plain(left, right):
        run.frame.registers[i.dst] = run.value_of(_compared(graph, op, run.term(left), run.term(right), i.at))
        return
    HANDLERS[ir.Compare](run, i)
    made = _register(run, i.dst)
    if not isinstance(made, Phi) and not run.is_noted(made):
        run.note(made, graph.terms(op, run.term(left), run.term(right), at=i.at))


def _compared(graph: Graph, op: str, left: Term, right: Term, at: ast.AST) -> Term:
    if op in ("is", "is not") and is_const(right, None):
        if left.op in _NEVER_NONE:
            return graph.terms.const(op == "is not")
        if left.op == "const":
            return graph.terms.const((left.args[0] is None) == (op == "is"))
    return graph.terms(op, left, right, at=at)


def _unary(run: GraphRun, i: ir.Unary) -> None:
    operand = _register(run, i.operand)
    if i.op == "not":
        term = run.term(operand)
        known = truth(term)
        if not run.general:
            HANDLERS[ir.Unary](run, i)
        elif known is not None:
            run.frame.registers[i.dst] = Constant(not known)
        else:
            run.frame.registers[i.dst] = run.value_of(run.stand().terms("not", term, at=i.at))
    elif not isinstance(operand, Constant):
        term = run.term(operand)
        made = term if i.op == "pos" else run.stand().terms(i.op, term, at=i.at)
        run.frame.registers[i.dst] = run.value_of(made)
    else:
        HANDLERS[ir.Unary](run, i)


def truth(term: Term) -> bool | None:
    """The truth value of a term if it is known, else None."""
    if term.op == "const":
        return bool(term.args[0])
    if term.op == "not":
        inner = truth(term.first)
        return None if inner is None else not inner
    return True if term.op in ("function", "new") else None


def _get_item(run: GraphRun, i: ir.GetItem) -> None:
    obj, graph = _register(run, i.obj), run.stand()
    if isinstance(obj, (Tensor, Unknown, Scalar)) or (isinstance(obj, Phi) and run.general):
        term = graph.get_item(run.term(obj), _term(run, i.index), i.at)
        run.frame.registers[i.dst] = run.value_of(term)
        return
    HANDLERS[ir.GetItem](run, i)
    made = _register(run, i.dst)
    if run.general and not run.is_noted(made):
        term = graph.terms("getitem", run.term(obj), _term(run, i.index), at=i.at)
        if isinstance(made, (Tensor, Unknown, Scalar)):
            run.frame.registers[i.dst] = run.value_of(term)
        elif run.is_noted(obj):
            run.note(made, term)


def _set_item(run: GraphRun, i: ir.SetItem) -> None:
    obj, graph = _register(run, i.obj), run.stand()
    if isinstance(obj, (Tensor, Unknown)) or (isinstance(obj, Phi) and run.general):
        before, given = run.term(obj), _term(run, i.src)
        graph.sink(i.at, "item", given)
        graph.replace(before, graph.terms("opaque", before, given, "write", at=i.at), i.at)
    else:
        graph.sink(i.at, "item", _term(run, i.src))
        HANDLERS[ir.SetItem](run, i)


def _unpack(run: GraphRun, i: ir.Unpack) -> None:
    source, registers = _register(run, i.src), run.frame.registers
    graph = run.stand()
    if isinstance(source, (Tensor, Unknown, Scalar)) or (isinstance(source, Phi) and run.general):
        whole = run.term(source)
        for number, dst in enumerate(i.dsts):
            registers[dst] = run.value_of(_part(graph, whole, number, len(i.dsts), i.star, i.at))
    elif run.general and isinstance(source, Sequence_) and containers.items(run, source) is None:
        whole = run.term(source)  # one value stands for all of its elements
        for number, dst in enumerate(i.dsts):
            registers[dst] = run.value_of(_part(graph, whole, number, len(i.dsts), i.star, i.at))
    else:
        HANDLERS[ir.Unpack](run, i)


def _part(graph: Graph, whole: Term, number: int, count: int, star: int, at: ast.AST) -> Term:
    """One target of an unpacking; number `star` is the starred one, -1 if there is none."""
    if star < 0:
        return graph.element(whole, number, count, at)
    if number == star:
        return graph.terms("opaque", whole, number, at=at)
    if whole.op == "shape":
        place = number if number < star else number - count
        return graph.terms("size", whole.first, graph.terms.const(place), at=at)
    return graph.terms("opaque", whole, number, at=at)


def _call(run: GraphRun, i: ir.Call) -> None:
    """Tells apart the copies of a call in a comprehension that is written out: `a, b = [draw() for _ in range(2)]`."""
    terms = run.graph.terms
    outer = terms.copy, run.calling
    terms.copy, run.calling = run.copy_of(i), i.at
    HANDLERS[ir.Call](run, i)
    terms.copy, run.calling = outer


def _set_attribute(run: GraphRun, i: ir.SetAttribute) -> None:
    graph = run.stand()
    term, obj = _term(run, i.src), _term(run, i.obj)
    graph.sink(i.at, "store", term)
    if run.general and not run.initialises:
        graph.effect(i.at, "store", term)
        graph.classes.written.add(i.name)
        if obj.op != "instance":
            run.change(objects.attribute(graph, obj, i.name, i.at))
        while obj.op in ("attr", "member"):  # `self.drop.p = …` also changes `self.drop`
            graph.classes.written.add(obj.args[1])
            obj = obj.first
    HANDLERS[ir.SetAttribute](run, i)


def _return(run: GraphRun, i: ir.Return) -> None:
    if i.src is not None and run.frame.function is run.entering.body_of:
        run.stand().sink(i.at, "return", _term(run, i.src))
    HANDLERS[ir.Return](run, i)


def _assert(run: GraphRun, i: ir.Assert) -> None:
    run.stand().sink(i.at, "assert", _term(run, i.test))
    HANDLERS[ir.Assert](run, i)


def _yield(run: GraphRun, i: ir.Yield) -> None:
    graph = run.stand()
    if i.src is not None:
        graph.sink(i.at, "return", _term(run, i.src))
    run.frame.registers[i.dst] = run.value_of(graph.terms.opaque(i.at))


def _opaque(run: GraphRun, i: ir.Opaque) -> None:
    HANDLERS[ir.Opaque](run, i)
    made = _register(run, i.dst)
    if isinstance(made, Constant) or run.is_noted(made):
        return
    graph, operands = run.stand(), [_term(run, one) for one in i.operands]
    if i.kind == "string" and operands:
        term = _joined(graph, _pieces(graph, i.at, operands) or operands, i.at)
    else:
        term = graph.terms.opaque(i.at, *operands)
    run.frame.registers[i.dst] = run.value_of(term)


def _pieces(graph: Graph, node: ast.AST, values: list[Term]) -> list[Term] | None:
    """The parts of an f-string in order, literal text included; None if a part has a format or conversion."""
    made, left = [], list(values)
    for one in getattr(node, "values", ()):
        if hasattr(one, "conversion"):
            if one.conversion != -1 or one.format_spec is not None or not left:
                return None
            made.append(left.pop(0))
        else:
            made.append(graph.terms.const(one.value))
    return None if left else made


def _joined(graph: Graph, operands: list[Term], at: ast.AST) -> Term:
    """The string that constant parts concatenate to; a `phi` of two strings if one part is a `phi` of constants."""
    choice = next((one for one in operands if one.op == "phi"), None)
    if choice is not None and all(one is choice or is_const(one) for one in operands):
        arms = [[arm if one is choice else one for one in operands] for arm in choice.args[1:]]
        if all(is_const(one) for arm in arms for one in arm):
            then, orelse = (_joined(graph, arm, at) for arm in arms)
            return graph.phi(choice.args[0], then, orelse, at)
    if all(is_const(one) and isinstance(one.args[0], str) for one in operands):
        return graph.terms.const("".join(one.args[0] for one in operands), at)
    return graph.terms.opaque(at, *operands)


def _make_function(run: GraphRun, i: ir.MakeFunction) -> None:
    HANDLERS[ir.MakeFunction](run, i)
    run.unstable |= run.frame.module.function_of(i.node).declared


# Branches and loops of a general run


def _if(run: GraphRun, i: ir.If) -> None:
    test = _term(run, i.test)
    known = truth(test)
    if known is not None:
        run.block(i.then if known else i.orelse)
        return
    graph = run.stand()
    frame = graph.frame
    graph.sink(i.at, "test", test)
    asked, wanted = test, True
    while asked.op == "not":
        asked, wanted = asked.first, not wanted
    bit = run.bit(("graph", asked))
    run.tests.setdefault(bit, (test, wanted))
    conditions = frame.conditions
    ended: dict[bool, bool] = {}

    def arm(body: Block, holds: bool) -> None:
        frame.conditions = (*conditions, (test, holds))
        run.block(body)
        ended[holds] = not run.path

    arms = ((i.then, True), (i.orelse, False))
    blocks.branch(run, [(literal(bit, holds is wanted), partial(arm, body, holds)) for body, holds in arms])
    frame.conditions = conditions
    if len(ended) == 2 and ended[True] is not ended[False]:
        frame.conditions = (*conditions, (test, ended[False]))


def _loop(run: GraphRun, i: ir.For | ir.While) -> None:
    """Runs the body once for an arbitrary iteration: names that it changes are opaque at its start and afterwards."""
    graph, frame = run.stand(), run.frame
    graph.order += 1
    graph.loops[id(i.at)] = graph.order
    before = run.names()
    start, path = run.state, run.path
    logs: tuple[list[Any], ...] = (graph.moments, graph.sinks, graph.effects)
    kept = [len(log) for log in logs]
    unknown = _stored(i.body)
    for _ in range(2):
        run.state, run.path = State(start), path
        for name in unknown & before.keys():
            term = graph.terms("opaque", before[name][1], name, "loop", at=i.at)
            run.state.slots[frame.uid, name] = run.value_of(term)
        entered = {name: run.state.get((frame.uid, name)) for name in before}
        outer = run.state
        carried = _any_round(run, i, outer)
        # A name whose value an iteration writes in place is also changed at the start of the next.
        changed = {n for n, value in entered.items() if carried.get((frame.uid, n)) is not value} - unknown
        if not changed:
            break
        for log, length in zip(logs, kept):
            del log[length:]
        unknown |= changed
    run.state = start
    start.slots.update(outer.slots)
    run.path = run.path or path
    for name, (value, term) in before.items():
        after = run.state.get((frame.uid, name))
        if after is not None and after is not value:
            joined = graph.terms("opaque", term, run.term(after), name, "loop", at=i.at)
            run.state.slots[frame.uid, name] = run.value_of(joined)


def _any_round(run: GraphRun, i: ir.For | ir.While, outer: State) -> State:
    """Runs the body of a loop once and continues after the loop; returns the state at the end of the iteration."""
    graph, carried = run.graph, State(outer)
    loop = Loop(carried, outer, False)
    frame = graph.frame
    conditions, frame.conditions = frame.conditions, (*frame.conditions, (graph.terms.opaque(i.at), True))
    run.loops.append(loop)
    run.within.append(loop)
    run.inexact += 1
    element = None
    if isinstance(i, ir.For):
        element = run.value_of(graph.terms("element", _term(run, i.iterable), at=i.at))
    loops.one_round(run, i, loop, element, True, None)
    run.inexact -= 1
    run.loops.pop()
    run.within.pop()
    run.stand().frame.conditions = conditions
    run.state = outer
    loops.leave_loop(run, i, loop, carried, outer)
    return carried


def _stored(block: Block) -> set[str]:
    """The names that a block assigns, nested blocks included."""
    found: set[str] = set()
    stack: list[ir.Instruction] = list(block)
    while stack:
        instruction = stack.pop()
        if isinstance(instruction, ir.Store):
            found.add(instruction.name)
        for field in ("then", "orelse", "body", "condition", "final"):
            stack.extend(getattr(instruction, field, ()))
        for handler in getattr(instruction, "handlers", ()):
            stack.extend((*handler.of_type, *handler.body))
    return found


def _append(run: GraphRun, i: ir.Append) -> None:
    term = run.stand().terms("comprehension", _term(run, i.src), at=i.at)
    run.frame.registers[i.obj] = run.value_of(term)


def _with(run: GraphRun, i: ir.With) -> None:
    graph = run.stand()
    outer = graph.managers
    graph.managers = (*outer, id(i.at))
    HANDLERS[ir.With](run, i)
    graph.managers = outer


def _try(run: GraphRun, i: ir.Try) -> None:
    graph = run.stand()
    frame = graph.frame
    conditions = frame.conditions
    frame.conditions = (*conditions, (graph.terms.opaque(i.at), True))
    HANDLERS[ir.Try](run, i)
    frame.conditions = conditions


NOTED: Steps = {
    ir.Binary: _binary,
    ir.Augmented: _augmented,
    ir.Compare: _compare,
    ir.Unary: _unary,
    ir.Call: _call,
    ir.GetItem: _get_item,
    ir.SetItem: _set_item,
    ir.Unpack: _unpack,
    ir.SetAttribute: _set_attribute,
    ir.Return: _return,
    ir.If: _if,
}
GENERAL: Steps = {
    ir.For: _loop,
    ir.While: _loop,
    ir.With: _with,
    ir.Try: _try,
    ir.Append: _append,
    ir.Assert: _assert,
    ir.Yield: _yield,
    ir.Opaque: _opaque,
    ir.MakeFunction: _make_function,
}
