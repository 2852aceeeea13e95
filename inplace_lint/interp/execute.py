"""Executes instructions: the transfer function of each one on names and registers. Control flow is in `blocks`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax import ir
from . import (
    attributes,
    blocks,
    calls,
    comparisons,
    containers,
    decorators,
    exceptions,
    fields,
    generators,
    inplace,
    iteration,
    lookup,
    mappings,
    names,
    none_checks,
    operators,
    patterns,
    pure_calls,
    stale_reads,
    strings,
    subscripts,
    unmodeled,
)
from .budget import FACTS, MOST_FACTS, STEPS, OutOfBudget
from .frames import LENGTH, Binding
from .graph import Node
from .guards import both, compatible, minus
from .values import (
    ABSENT,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Phi,
    Sequence_,
    Symbol,
    Unknown,
    Value,
    present,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .run import Run

    Handlers: TypeAlias = "dict[type[ir.Instruction], Callable[[Run, Any], None]]"


def block(run: Run, instructions: ir.Block) -> None:
    """Runs instructions one after the other until the path ends; raises `OutOfBudget` past a limit."""
    handlers, budget = run.handlers or HANDLERS, run.budget
    for instruction in instructions:
        if not run.path:
            return
        budget.steps += type(instruction) is not ir.Constant  # a table of numbers costs what its text does
        if budget.steps > budget.end:
            raise OutOfBudget(STEPS.format(budget.end))
        if len(run.heap.hazards) > MOST_FACTS:
            raise OutOfBudget(FACTS)
        handlers[type(instruction)](run, instruction)
        if run.trying.catching:
            exceptions.note(run, instruction)


def _constant(run: Run, i: ir.Constant) -> None:
    run.frame.registers[i.dst] = Constant(i.value)


def _load(run: Run, i: ir.Load) -> None:
    frame = run.frame
    value = run.settled(names.load(run, i.name))
    if value is ABSENT:
        exceptions.throw(run, Symbol("builtins.UnboundLocalError"))
    elif isinstance(value, Phi):
        _leave_unbound(run, value)
    frame.registers[i.dst] = present(value) or Unknown()
    frame.loaded[i.dst] = i.name


def _leave_unbound(run: Run, value: Phi) -> None:
    """Ends the paths on which a name is not bound that others bind: Python raises there."""
    unbound = [guard for guard, atom in value.alternatives if atom is ABSENT]
    bound = [guard for guard, atom in value.alternatives if atom is not ABSENT]
    for guard in unbound:
        left = minus(run.path, guard)
        if left and not any(compatible(guard, other) for other in bound):
            run.path = both(run.path, guard)
            exceptions.throw(run, Symbol("builtins.UnboundLocalError"))
            run.path = left


#: How many bindings of one name are kept.
_BINDINGS = 4


def _store(run: Run, i: ir.Store) -> None:
    frame = run.frame
    value = frame.registers[i.src]
    names.store(run, i.name, value)
    known = frame.bindings.setdefault(i.name, [])
    known.append(Binding(value, run.heap.time, frame.loaded.get(i.src)))
    if len(known) > _BINDINGS:
        del known[0]


def _delete(run: Run, i: ir.Delete) -> None:
    names.store(run, i.name, ABSENT)


def _delete_item(run: Run, i: ir.DeleteItem) -> None:
    subscripts.delete_item(run, run.frame.registers[i.obj], run.frame.registers[i.index], i.at)


def _delete_attribute(run: Run, i: ir.DeleteAttribute) -> None:
    attributes.delete(run, run.frame.registers[i.obj], i.name, i.at)


def _move(run: Run, i: ir.Move) -> None:
    value = run.frame.registers[i.src]
    run.frame.registers[i.dst] = value
    run.state.moves[i.dst] = value


def _get_attribute(run: Run, i: ir.GetAttribute) -> None:
    registers = run.frame.registers
    obj, made = fields.as_field(run, registers[i.obj]), Node.made
    if not hasattr(None, i.name) and not none_checks.is_left(run, obj):
        registers[i.dst] = Unknown()
        return
    registers[i.dst] = value = run.settled(run.attribute(obj, i.name, i.at))
    if not isinstance(obj, (Instance, Unknown)):
        unmodeled.hang(run, value, made, (obj,), computed=True)


def _set_attribute(run: Run, i: ir.SetAttribute) -> None:
    registers = run.frame.registers
    attributes.assign(run, registers[i.obj], i.name, registers[i.src], i.at)


def _get_item(run: Run, i: ir.GetItem) -> None:
    registers = run.frame.registers
    obj, made = fields.as_field(run, registers[i.obj]), Node.made
    if not none_checks.is_left(run, obj):
        registers[i.dst] = Unknown()
        return
    index = fields.as_field(run, registers[i.index])
    value = run.settled(subscripts.get_item(run, obj, index, i.at))
    registers[i.dst] = run.computed(value, "[]", (obj, index)) if isinstance(obj, Unknown) else value
    unmodeled.hang(run, value, made, (obj,), computed=True)


def _set_item(run: Run, i: ir.SetItem) -> None:
    registers = run.frame.registers
    before = len(run.found.writes)
    if not none_checks.is_left(run, registers[i.obj]):
        return
    index = fields.as_field(run, registers[i.index])
    subscripts.set_item(run, registers[i.obj], index, registers[i.src], i.at, i.augmented)
    if len(run.found.writes) > before:
        stale_reads.lost(run, i.at, run.found.writes[before:])


def _call(run: Run, i: ir.Call) -> None:
    """Makes a call; if a dict spread by `**` differs between paths, makes one call for each dict, on its own path."""
    registers = run.frame.registers
    spread = [register for name, register in i.kwargs if name is None]
    apart = [register for register in spread if isinstance(registers[register], Phi)]
    options = registers[apart[0]] if len(apart) == 1 else None
    ways = run.possible(options) if options is not None else []
    if not isinstance(options, Phi) or not 1 < len(ways) <= _SPREADS:
        _call_once(run, i)
        return
    if all(mappings.string_items(run, one) is None for one in ways):
        _call_once(run, i)
        return

    def call(one: Value) -> Value:
        registers[apart[0]] = one
        _call_once(run, i)
        return registers[i.dst]

    registers[i.dst] = run.each(options, call)
    registers[apart[0]] = options


#: A `**` argument that may be more dicts than this is not split into one call for each.
_SPREADS = 4


def _call_once(run: Run, i: ir.Call) -> None:
    registers = run.frame.registers
    args: list[Value] = []
    exact = True
    spread: Sequence_ | None = None
    for starred, register in i.args:
        value = registers[register]
        if not starred:
            args.append(value)
            continue
        items = containers.spread(run, value)
        if items is None:
            exact = False
            args += containers.elements_of(run, value)[:1]
            spread = value if len(i.args) == 1 and isinstance(value, Sequence_) else None
        else:
            args.extend(items)
    kwargs: dict[str, Value] = {}
    for name, register in i.kwargs:
        value = registers[register]
        if name is not None:
            kwargs[name] = value
            continue
        known = mappings.string_items(run, value)
        if known is None:
            exact = False
        else:
            kwargs.update(known)
    before = len(run.found.writes)
    run.entering.spread = spread
    if not none_checks.is_left(run, registers[i.func]):
        registers[i.dst] = Unknown()
        return
    func = registers[i.func]
    value = run.call(func, args, kwargs, i.at, exact)
    registers[i.dst] = pure_calls.answer(run, func, args, kwargs, value) if exact else value
    if i.unused and len(run.found.writes) > before:
        stale_reads.lost(run, i.at, run.found.writes[before:])


def _binary(run: Run, i: ir.Binary) -> None:
    registers = run.frame.registers
    left, right = (fields.as_field(run, registers[operand]) for operand in (i.left, i.right))
    made = Node.made
    if not none_checks.is_left(run, left, right):
        registers[i.dst] = Unknown()
        return
    value = run.computed(operators.binary(run, i.op, left, right, i.at), i.op, (left, right))
    registers[i.dst] = value
    unmodeled.hang(run, value, made, (left, right), computed=True)


def _augmented(run: Run, i: ir.Augmented) -> None:
    registers = run.frame.registers
    left, right = (fields.as_field(run, registers[operand]) for operand in (i.left, i.right))
    given = none_checks.is_left(run, left, right)
    registers[i.dst] = inplace.augmented(run, i.op, left, right, i.at) if given else Unknown()


def _compare(run: Run, i: ir.Compare) -> None:
    registers = run.frame.registers
    left, right = (fields.as_option(run, registers[operand]) for operand in (i.left, i.right))
    registers[i.dst] = run.computed(comparisons.compare(run, i.op, left, right, i.at), i.op, (left, right))


def _unary(run: Run, i: ir.Unary) -> None:
    registers = run.frame.registers
    read = fields.as_option if i.op == "not" else fields.as_field
    operand = read(run, registers[i.operand])
    registers[i.dst] = run.computed(operators.unary(run, i.op, operand, i.at), f"unary {i.op}", (operand,))


def _build(run: Run, i: ir.Build) -> None:
    registers = run.frame.registers
    parts = [(starred, registers[register]) for starred, register in i.items]
    if any(starred for starred, _ in parts):
        registers[i.dst] = containers.make_of_parts(run, i.kind, parts)
    else:
        registers[i.dst] = containers.make(run, i.kind, [value for _, value in parts])


def _build_dict(run: Run, i: ir.BuildDict) -> None:
    registers = run.frame.registers
    mapping = Mapping_()
    run.born[mapping] = run.inexact
    run.state.slots[(mapping, LENGTH)] = Constant(0)
    for key, value in i.items:
        if key is None:
            mappings.update(run, mapping, registers[value])
        else:
            mappings.put_key(run, mapping, registers[key], registers[value])
    registers[i.dst] = mapping


def _append(run: Run, i: ir.Append) -> None:
    registers = run.frame.registers
    target = registers[i.obj]
    if i.key is not None and isinstance(target, Mapping_):
        mappings.put_key(run, target, registers[i.key], registers[i.src])
    elif isinstance(target, Sequence_):
        containers.append(run, target, registers[i.src])


def _unpack(run: Run, i: ir.Unpack) -> None:
    source, made = run.frame.registers[i.src], Node.made
    values = iteration.unpack(run, source, len(i.dsts), i.star, i.at)
    for dst, value in zip(i.dsts, values):
        unmodeled.hang(run, value, made, (source,), computed=True)
        run.frame.registers[dst] = value


def _make_function(run: Run, i: ir.MakeFunction) -> None:
    registers = run.frame.registers
    run.frame.captured = True
    function = FunctionValue(run.frame.module.function_of(i.node), run.frame.uid)
    function.defaults = [None if r is None else registers[r] for r in i.defaults]
    function.renamed = i.renamed
    registers[i.dst] = decorators.decorated(run, function, [registers[r] for r in i.decorators], i.at)
    if run.frame.function is not None and not run.builds:
        run.entering.callbacks.append((run.path, registers[i.dst]))


def _make_class(run: Run, i: ir.MakeClass) -> None:
    source = run.frame.module.class_of(i.node)
    value = run.program.class_value(source)
    if source.bases and (not value.bases or run.frame.function is not None):
        bases = [names.evaluate(run, base) for base in source.bases]
        value = value.of_bases(bases)
    run.frame.registers[i.dst] = value
    if run.frame.function is not None:
        value.frame, run.frame.captured = run.frame.uid, True
    begin = lookup.find(run, value.order()[1:], "__init_subclass__")
    if isinstance(begin, FunctionValue):
        options = {one.arg: names.evaluate(run, one.value) for one in i.node.keywords if one.arg}
        run.call(Bound(begin, [value], {}), [], options, i.at)
    for decorator in reversed(i.node.decorator_list):
        decorators.of_class(run, names.evaluate(run, decorator), value, i.at)


def _import(run: Run, i: ir.Import) -> None:
    value = names.imported(run, run.frame.module, i.module, i.member, i.level)
    names.store(run, i.name, value)


def _opaque(run: Run, i: ir.Opaque) -> None:
    if i.kind == "string":
        parts = [run.frame.registers[operand] for operand in i.operands]
        text = strings.put_together(i.at, parts)
        known = isinstance(text, Constant)
        run.frame.registers[i.dst] = text if known else run.computed(text, ast.dump(i.at), parts)
        return
    if i.kind in patterns.ASKED:
        operands = [run.frame.registers[operand] for operand in i.operands]
        run.frame.registers[i.dst] = patterns.asked(run, i.kind, operands, i.at)
        return
    if i.kind == "exception" and run.trying.handled:
        run.frame.registers[i.dst] = run.trying.handled[-1]
        return
    made = Node.made
    run.frame.registers[i.dst] = value = Unknown()
    unmodeled.hang(run, value, made, [run.frame.registers[operand] for operand in i.operands])


def _yield(run: Run, i: ir.Yield) -> None:
    if run.frame.on_yield is not None:
        generators.hand_over(run, i, run.frame.on_yield)
        return
    if i.src is not None:
        given = run.tensors_within(run.frame.registers[i.src])
        run.heap.escape(given, run.path)
        run.handed.given.update(tensor.storage for _, tensor in given)
    run.frame.registers[i.dst] = Unknown()


def _assert(run: Run, i: ir.Assert) -> None:
    true, _ = run.split(run.frame.registers[i.test])
    run.path = both(run.path, true)


def _return(run: Run, i: ir.Return) -> None:
    value: Value = Constant(None) if i.src is None else run.frame.registers[i.src]
    calls.leave(run, value)


HANDLERS: Handlers = {
    ir.Constant: _constant,
    ir.Load: _load,
    ir.Store: _store,
    ir.Delete: _delete,
    ir.DeleteItem: _delete_item,
    ir.DeleteAttribute: _delete_attribute,
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
    ir.MakeClass: _make_class,
    ir.Import: _import,
    ir.Opaque: _opaque,
    ir.Yield: _yield,
    ir.Return: _return,
    ir.Assert: _assert,
    **blocks.HANDLERS,
}
