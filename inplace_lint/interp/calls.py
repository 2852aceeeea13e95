"""Dispatches calls: enters functions of the project, and over-approximates callees that are unknown.

Calls of classes, objects and layers are in `objects`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..prefilter.grad_mode import has_quiet_part
from ..resolve import binding
from . import (
    attributes,
    blocks,
    cached,
    containers,
    decorators,
    exceptions,
    external_modules,
    generators,
    grad_mode,
    holding,
    lookup,
    modules,
    names,
    objects,
    ops,
    refused_calls,
    sole_methods,
    symbols,
    unmodeled,
    weights,
    worth_entering,
)
from .budget import DEPTH
from .class_value import ClassValue
from .event import Skipped
from .frames import DEAD, LENGTH, OPTIONS, Frame, State
from .grad_mode import Mode
from .graph import Node
from .guards import ALWAYS, relative
from .iterators import Iteration
from .joins import join
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    OpValue,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    TorchModule,
    Unknown,
    Value,
    flatten,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..syntax.module import FunctionSource
    from .guards import Guard
    from .run import Run


def call(
    run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool = True
) -> Value:
    """The value of `func(*args, **kwargs)`; `exact` is False if a star spread arguments of unknown number."""
    func = external_modules.callee(func)
    if isinstance(func, Phi):
        return _call_each(run, func, args, kwargs, at, exact)
    while isinstance(func, Bound):
        args = [*func.args, *args]
        kwargs = {**func.kwargs, **kwargs}
        func = func.func
    made = Node.made
    if run.found.observed and not isinstance(func, OpValue):
        holding.called(run, func, args, kwargs, at)
    if isinstance(func, OpValue):
        op = func.op
        short = op.name.rpartition(".")[2]
        proves = True
        if op.name.startswith("Tensor."):
            # Arrays have some of the methods too, but call these arguments axis and keepdims.
            proves = attributes.proves_tensor(short) or "dim" in kwargs or "keepdim" in kwargs
        return _carrying(run, ops.apply(run, op, args, kwargs, at, proves), made, args, kwargs)
    if isinstance(func, Native):
        if func.exact and not exact and run.entering.spread is None:
            return unknown(run, func, args, kwargs, at)
        result = func.play(run, args, kwargs, at)
        return _carrying(run, result if isinstance(result, Value) else Unknown(), made, args, kwargs)
    if isinstance(func, FunctionValue):
        return _call_function(run, func, args, kwargs, at, exact)
    if isinstance(func, Symbol):
        if not exact and func.dotted in ("torch.nn.Sequential", "torch.nn.ModuleList"):
            return _of_unknown_modules(run, func, args, kwargs, at)
        found = symbols.call(run, func.dotted, args, kwargs, at)
        if isinstance(found, Unknown):
            run.returned_by(found, (run.frame.uid, at, func.dotted))
        return _carrying(run, found, made, args, kwargs)
    if isinstance(func, ClassValue):
        return _carrying(run, objects.instantiate(run, func, args, kwargs, at, exact), made, args, kwargs)
    if isinstance(func, TorchModule):
        layer = func
        return modules.called(
            run, layer, args, at, lambda args: objects.call_module(run, layer, args, kwargs, at)
        )
    if isinstance(func, Instance):
        obj = func
        return modules.called(
            run, obj, args, at, lambda args: objects.call_instance(run, obj, args, kwargs, at, exact)
        )
    if isinstance(func, Sequence_) and func.kind == "Sequential":
        chain = func
        return modules.called(
            run, chain, args, at, lambda args: objects.call_sequential(run, chain, args, at)
        )
    if isinstance(func, Scalar):
        return Scalar()
    known = sole_methods.called(run, func, args, kwargs) if isinstance(func, Unknown) else None
    if known is not None:
        return run.call(known, args, kwargs, at, exact)
    return unknown(run, func, args, kwargs, at)


def _call_function(
    run: Run,
    func: FunctionValue,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    exact: bool,
) -> Value:
    """Calls a function of the project: by what is declared of it, by what is cached, or by running it."""
    declared = run.program.declared.of(func.source)
    if declared is not None and func.source is not run.entering.body_of:
        run.declared.told[at] = run.program.declared.said(func.source), run.frame.module
        made = Node.made
        return _carrying(run, ops.apply(run, declared, args, kwargs, at), made, args, kwargs)
    known = cached.result(run, func, args, kwargs, at, exact) if func.decorated else None
    return run.enter(func, args, kwargs, at, exact) if known is None else known


def _call_each(
    run: Run, func: Phi, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
) -> Value:
    """Calls each alternative of `func` on its own path; a method that only changes its own object needs no own path.

    The paths of those that refuse the arguments end here, unless all of them do.
    """
    apart = tuple(one for one in func.alternatives if not isinstance(one[1], modules.OfOne))
    results = [
        (guard, run.call(one, args, kwargs, at, exact))
        for guard, one in func.alternatives
        if isinstance(one, modules.OfOne)
    ]
    refused = refused_calls.among(run, apart, args, kwargs) if exact else []

    def call(one: Value) -> Value:
        if one in refused:
            exceptions.throw(run, Symbol("builtins.TypeError"))
            return Unknown()
        return run.call(one, args, kwargs, at, exact)

    if apart:
        results.append((ALWAYS, run.each(Phi(apart), call)))
    return join(results)


def _of_unknown_modules(
    run: Run, func: Symbol, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """Makes an `nn.Sequential(*layers)` or `nn.ModuleList(layers)` of a list whose length is not known."""
    spread, run.entering.spread = run.entering.spread, None
    if spread is None:
        return unknown(run, func, args, kwargs, at)
    return containers.of_unknown_length(run, func.dotted.rpartition(".")[2], spread)


def _carrying(
    run: Run, result: Value, since: int, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Returns `result`; links unknown values in it made after `since` to the arguments, which they may contain."""
    unmodeled.hang(run, result, since, (*args, *kwargs.values()))
    return result


def unknown(run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Calls an unknown callee: its result may depend on every argument, and it may keep the arguments."""
    if isinstance(func, Mode) and (made := decorators.in_mode(func, args)) is not None:
        return made
    given = [found for value in (*args, *kwargs.values()) for found in run.tensors_within(value)]
    run.handed.given.update(tensor.storage for _, tensor in given)
    run.hands_on((*args, *kwargs.values()))
    run.handed.lends = (
        run.handed.lends
        or any(run.heap.record(tensor.storage).grads for _, tensor in given)
        or any(isinstance(atom, Instance) for value in (*args, *kwargs.values()) for atom in flatten(value))
    )
    if isinstance(func, Unknown):
        return external_modules.called(run, func, given, [*args, *kwargs.values()], at)
    result = Unknown()
    result.nodes, result.returned = given, True
    if isinstance(func, (Sequence_, TorchModule)):
        result.behind = external_modules.hidden_in(run, result, [*args, *kwargs.values()])
    return run.returned_by(result, (run.frame.uid, at, func))


# Functions of the project


def leave(run: Run, value: Value) -> None:
    """Return from the current function along the current path."""
    if isinstance(value, Iteration) and not run.frame.depth:
        value.all()  # the unknown caller will iterate over it
    run.frame.returns.append((run.path, value, run.state.changes(run.frame.base)))
    run.path = DEAD


def enter(
    run: Run,
    function: FunctionValue,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    exact: bool = True,
    force: bool = False,
    on_yield: Callable[[Value], None] | None = None,
) -> Value:
    """Runs a project function inline and returns its result; `force`: even past the budget, and generators too."""
    source = function.source
    if run.entering.decorates and args and decorators.hands_back(run, source, args[0]):
        return args[0]
    if not force:
        instead = _not_entered(run, function, args, kwargs, at, exact)
        if instead is not None:
            return instead
    enters_all = run.builds and not run.entering.decorates
    needed = force or enters_all or worth_entering.has_to_be_entered(run, source, args, kwargs, at)
    if not force and not enters_all and not run.budget.may_enter(source, needed, run.entering.entered):
        return skip(run, source, args, kwargs, at)
    aside = run.budget.turn_aside(needed)
    around = None
    if function.frame is not None:
        around = run.frames.get(function.frame) or run.program.built.frames.get(function.frame)
    frame = Frame(run.uid(), source.module, source, run.place(at), around, function.cls)
    run.frames[frame.uid] = frame
    frame.on_yield, frame.renamed = on_yield, function.renamed
    outer = (run.frame, run.state, run.grad, run.keeping.autocast, run.loops)
    path, asked, run.state = run.path, run.asked.times, State(run.state)
    frame.base = outer[1]
    frame.given = bound = bind(run, function, args, kwargs, exact)
    if force and exact and source is run.entering.body_of:
        _fill_rest(run, source, bound)
    elif exact and not force and source.node.args.kwarg is not None:
        rest = bound[source.node.args.kwarg.arg]
        run.state.slots[(rest, LENGTH)] = Constant(len(rest.keys) if isinstance(rest, Mapping_) else 0)
    run.frame, run.loops = frame, []
    run.entering.active.append(source)
    run.entering.entered.add(source)
    if run.program.tally is not None:
        run.program.tally.entered(source, bound)
    run.state.slots.update(((frame.uid, name), value) for name, value in bound.items())
    for decorator in function.decorated or ():
        grad_mode.apply(run, decorator)
    begun_in = run.grad
    run.block(source.body)
    if run.path:
        leave(run, Constant(None))
    run.entering.active.pop()
    run.budget.turn_back(aside)
    left_in = run.grad
    run.frame, run.state, run.grad, run.keeping.autocast, run.loops = outer
    run.grad = left_in if left_in != begun_in else run.grad  # `torch.set_grad_enabled(…)` outlives the call
    result = _come_back(run, frame, path)
    if not frame.returns and not source.is_generator and blocks.is_sure(run, path):
        # Its error is not believed: another class has the method.
        run.path, result = path, unknown(run, function, args, kwargs, at)
    return _answer(run, result, at) if isinstance(result, Phi) and run.asked.times > asked else result


def _note_result_of_forward(result: Value) -> None:
    """Notes that what a `forward` got of code that is not followed, and returns, is the result of a module."""
    for atom in flatten(result):
        if isinstance(atom, Unknown) and atom.returned:
            atom.of_module = True


def _fill_rest(run: Run, source: FunctionSource, bound: dict[str, Value]) -> None:
    """Lets the `*args` and `**kwargs` of a root hold anything: its caller is not known."""
    for parameter, made in (
        (source.node.args.vararg, Sequence_("fresh")),
        (source.node.args.kwarg, Mapping_()),
    ):
        if parameter is not None and parameter.arg not in run.root.args:
            containers.fill(run, made, Unknown())
            bound[parameter.arg] = made


def _not_entered(
    run: Run,
    function: FunctionValue,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    exact: bool,
) -> Value | None:
    """The result of a call that is not entered: of a generator, too deep, or recursive; None for all other calls."""
    source = function.source
    exhausted = run.frame.depth >= DEPTH or run.budget.is_spent()
    if decorators.leaves_to_heirs(function):
        return unknown(run, function, args, kwargs, at)
    nested = run.entering.active.count(source)
    goes_on = nested <= 1 or generators.goes_down(run, source, (*args, *kwargs.values()))
    if not exhausted and run.path and not source.is_generator and goes_on:
        return None
    if exhausted and not source.is_generator:
        run.leave_out(source)
    result = unknown(run, function, args, kwargs, at)
    if source.is_generator:
        return generators.made(run, generators.Generator(function, args, kwargs, exact), result, at)
    if exhausted:
        run.entering.cut_off.add(result)
    return result


def _come_back(run: Run, frame: Frame, path: Guard) -> Value:
    """Joins the states of all returns of a call into the caller's state, and returns the join of its results."""
    if not frame.returns:
        run.merge([], [])
        return Unknown()
    uid = frame.uid
    outcomes = []
    conditions = []
    for guard, _, changes in frame.returns:
        if not frame.captured:
            changes = {k: v for k, v in changes.items() if not (type(k) is tuple and k[0] == uid)}
        outcomes.append((guard, changes))
        conditions.append(relative(guard, path))
    run.merge(outcomes, conditions)
    run.keep_exact(path)
    result = join([(condition, ret[1]) for condition, ret in zip(conditions, frame.returns)])
    if frame.function is not None and frame.function.name == "forward":
        _note_result_of_forward(result)
    return result


#: A truth value with more alternatives than this is replaced by a single doubtful test.
_CASES = 4


def _answer(run: Run, result: Phi, at: ast.AST) -> Value:
    """The result of a call; a truth value that depends on gradients in too many ways becomes one doubtful test."""
    if len(result.alternatives) <= _CASES:
        return result
    if not all(isinstance(atom, (Scalar, Constant, Unknown)) for _, atom in result.alternatives):
        return result
    bit = run.bit(("answer", at, run.frame.uid))
    run.doubtful |= 1 << bit
    return run.test_of_bit(bit)


def skip(
    run: Run, source: FunctionSource, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """Skips a call in which nothing is written, and records it: it matters if a tensor it touched is written later.

    A method of a module is taken to save the parameters of its object that it may use, unless a part of it records no
    gradients.
    """
    result = Unknown()
    values = [*args, *kwargs.values()]
    result.nodes = [found for value in values for found in run.tensors_within(value)]
    result.returned = True
    if not any(external_modules.may_hide(run, value) for value in values):
        result.behind = max((unmodeled.behind(run, value) for value in values), default=0)
    result.of_module = source.name == "forward"
    run.hands_on(values if source.owner is None else values[1:])
    for value in values:
        for _, atom in run.live(value):
            if isinstance(atom, (Sequence_, Mapping_)) and containers.length(run, atom) == 0:
                containers.smear(run, atom, Unknown(result))  # an empty container is passed to be filled
    storages = {tensor.storage for _, tensor in result.nodes}
    run.handed.given |= storages
    modules: list[Instance] = []
    if run.budget.trains and source.owner is not None and not has_quiet_part(run.program.prefilter, source):
        for _, atom in run.live(args[0]) if args else ():
            if isinstance(atom, Instance) and any(cls.source is source.owner for cls in atom.cls.order()):
                modules.append(atom)
                external_modules.chained(run, result, weights.used_by(run, atom, source), at)
    given = {atom for value in values for atom in flatten(value)}
    saves = bool(modules) and not any(weights.may_own_some(run, value) for value in values[1:])
    run.entering.skipped.append(Skipped(source, given, storages, result, saves))
    return result


def bind(
    run: Run,
    function: FunctionValue,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    exact: bool,
) -> dict[str, Value]:
    """Binds arguments to parameters: by name; a missing one gets its default, or is unknown if not `exact`."""
    given = binding.bind(function.source, args, kwargs)
    arguments, bound = function.source.node.args, given.named
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = containers.make(run, "tuple", given.spare, exact)
    if arguments.kwarg is not None:
        rest = bound[arguments.kwarg.arg] = Mapping_()
        run.born[rest] = run.inexact
        if args and isinstance(obj := args[0], Instance) and run.program.built.objects.get(obj.cls) is obj:
            run.state.slots[(rest, OPTIONS)] = Unknown()
        for name, value in given.options.items():
            run.put(rest, ("key", name), value)
    for parameter in given.missing:
        bound[parameter.arg] = value = default(run, function, parameter) if exact else Unknown()
        if run.found.observed and isinstance(value, (Sequence_, Mapping_)):
            run.handed.lasting.add(value)
    return bound


def default(run: Run, function: FunctionValue, parameter: ast.arg) -> Value:
    """The default value of a parameter that the call does not give."""
    source = function.source
    node = source.default_of(parameter)
    if node is None:
        return Unknown()
    if function.defaults is not None:
        arguments = source.node.args
        expressions = [*arguments.defaults, *arguments.kw_defaults]
        for expression, value in zip(expressions, function.defaults):
            if expression is node and value is not None:
                return value
    if isinstance(node, ast.Constant):
        return Constant(node.value)
    if source.owner is not None:
        return lookup.in_body(run, run.program.class_value(source.owner), node)
    return names.evaluate_in(run, source.module, node)
