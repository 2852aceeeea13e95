"""Builds objects of the classes of the project, lazily where possible, and calls objects and modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import (
    autograd_functions,
    containers,
    data_classes,
    dispatch_tables,
    einops,
    enums,
    exceptions,
    external_modules,
    inherited,
    layers,
    lookup,
    modules,
    ops,
    positions,
    records,
    requires_grad,
)
from .class_value import ClassValue
from .frames import FIRST, LAST, Frame, State
from .guards import ALWAYS, NEVER, both, compatible, either, literal, minus
from .joins import join
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Phi,
    Scalar,
    Sequence_,
    TorchModule,
    Unknown,
    Value,
    alternatives,
    present,
)
from .weights import weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .guards import Guard
    from .run import Run


def instantiate(
    run: Run, cls: ClassValue, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
) -> Value:
    """A new object of a class of the project; `exact` is False if its arguments are not all known."""
    bases = cls.external_bases()
    if "typing.NamedTuple" in bases:
        return records.of_class(run, cls, fields(cls), args, kwargs)
    if run.trying.catching and data_classes.is_abstract(run, cls):
        exceptions.throw_builtin(run, "TypeError")
        return Unknown()
    maker = lookup.find(run, cls.order(), "__new__")
    obj = Instance(cls, shared=run.builds)
    run.several.repeated.made += 1
    if isinstance(maker, FunctionValue) and not bases:
        made = run.settled(run.call(Bound(maker, [cls], {}), args, kwargs, at, exact))
        if not isinstance(made, Instance) or made.cls is not cls:
            return made
        obj = made
    init = lookup.find(run, cls.order(), "__init__")
    if inherited.is_collection(cls) and not data_classes.is_generated(run, cls):
        inherited.begin(run, obj, *(([], {}) if isinstance(init, FunctionValue) else (args, kwargs)), at)
        if isinstance(init, FunctionValue):
            run.enter(init, [obj, *args], kwargs, at, exact)
        return obj
    if enums.is_enum(cls):
        return dispatch_tables.member(run, cls, args[0], at) if args else Unknown()
    if data_classes.is_generated(run, cls):
        data_classes.fill(run, obj, args, kwargs, at)
    elif isinstance(init, FunctionValue):
        if obj.cls.is_module() and exact and not _is_known_elsewhere(run, cls):
            obj.pending = (args, kwargs)  # put off: most parts of a large model are never used
            if not run.builds and any(map(_works_in_place, (*args, *kwargs.values()))):
                run.entering.outfitted.append(obj)
        else:
            with run.budget.building():
                run.enter(init, [obj, *args], kwargs, at, exact)
    elif inherited.base_of(cls):
        if not exact:
            return Unknown()
        obj.pending = (args, kwargs)
    else:
        inherited.begin(run, obj, args, kwargs, at)
        if cls.source.node.decorator_list or not cls.source.methods:
            _fill(run, obj, args, kwargs)
    return obj


def _is_known_elsewhere(run: Run, cls: ClassValue) -> bool:
    """Whether an `__init__` of a class or its bases puts the object where others find it before it is used."""
    inits = [one.source.methods.get("__init__") for one in cls.order()]
    return any(run.program.prefilter.is_known_elsewhere(one) for one in inits if one is not None)


def _works_in_place(value: Value) -> bool:
    """Whether a value is, or builds when called, a module with `inplace=True`."""
    options = (
        value.kwargs if isinstance(value, Bound) else value.config if isinstance(value, TorchModule) else {}
    )
    flag = options.get("inplace")
    return isinstance(flag, Constant) and flag.value is True


def _is_left_out(run: Run, obj: Instance, init: Value | None) -> bool:
    """Whether the budget has no steps left to run `__init__`."""
    if run.builds or obj.shared:
        return run.builds and run.budget.is_spent()
    return isinstance(init, FunctionValue) and not run.budget.may_enter(
        init.source, True, run.entering.entered
    )


def materialise(run: Run, obj: Instance) -> None:
    """Run the `__init__` that was put off; if the object is shared by all runs, in a run that builds objects."""
    pending = obj.pending
    if pending is None:
        return
    init = lookup.find(run, obj.cls.order(), "__init__")
    if _is_left_out(run, obj, init):
        return  # keep it pending: a later use may have the steps
    obj.pending = None
    with run.budget.building():
        run_on(run, obj, init, *pending)


def run_on(
    run: Run,
    obj: Instance,
    function: Value | None,
    args: Sequence[Value] = (),
    kwargs: Mapping[str, Value] | None = None,
) -> None:
    """Run a method on an object, for any arguments if `kwargs` is None; `function` None: the `__init__` of torch."""
    if obj.shared and not run.builds:
        outer, run = run, run.program.building_run(obj.cls.source.module)
    else:
        outer = run
    frame = Frame(run.uid(), obj.cls.source.module, None, None, None, None)
    run.frames[frame.uid] = frame
    before = (
        run.frame,
        run.state,
        run.path,
        run.grad,
        run.keeping.autocast,
        run.loops,
        run.entering.active,
        run.inexact,
    )
    overlay = State(run.state)  # the arguments may stand in the current state
    run.frame, run.state, run.path, run.grad, run.keeping.autocast, run.loops = (
        frame,
        overlay,
        ALWAYS,
        "on",
        False,
        [],
    )
    run.entering.active, run.inexact = [], 0
    catching, run.trying.catching = run.trying.catching, []
    frozen, run.made.frozen = run.made.frozen, []
    if isinstance(function, FunctionValue):
        run.enter(function, [obj, *args], kwargs or {}, obj.cls.source.node, kwargs is not None)
    else:
        inherited.begin(run, obj, args, kwargs or {}, obj.cls.source.node)
    requires_grad.keep_frozen(run, frozen)
    (
        run.frame,
        run.state,
        run.path,
        run.grad,
        run.keeping.autocast,
        run.loops,
        run.entering.active,
        run.inexact,
    ) = before
    run.trying.catching = catching
    target = run.program.built.base if run.builds else run.bottom()
    target.slots.update(overlay.slots)
    if run.builds:
        outer.learn_from(run)


def fields(cls: ClassValue) -> list[str]:
    """The names that the class bodies annotate or assign, base classes first: the fields of a dataclass."""
    names_found: list[str] = []
    for owner in reversed(cls.order()):
        names_found.extend(n for n in owner.source.assignments if n not in names_found)
    return names_found


def _fill(run: Run, obj: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]) -> None:
    """Set the fields of an object to the arguments, as a generated `__init__` does."""
    for name, value in [*zip(fields(obj.cls), args), *kwargs.items()]:
        run.put(obj, name, value)


def call_instance(
    run: Run, obj: Instance, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
) -> Value:
    """obj(…): `forward` of a module, `__call__` of other objects; each falls back on the other, then on torch."""
    for name in ("forward", "__call__") if obj.cls.is_module() else ("__call__", "forward"):
        set_later = name == "forward" and present(run.state.get((obj, name))) is not None
        if set_later or run.program.replaces(obj.cls, name):
            return run.call(run.attribute(obj, name, at), args, kwargs, at, exact)
        found = lookup.find(run, obj.cls.order(), name)
        if isinstance(found, FunctionValue):
            if name == "forward" and autograd_functions.is_function(obj.cls):
                return autograd_functions.call(run, obj, found, args, at)
            return run.call(Bound(found, [obj], {}), args, kwargs, at, exact)
    own = inherited.part(run, obj)
    return run.call_unknown(obj, args, kwargs, at) if own is None else run.call(own, args, kwargs, at, exact)


def call_sequential(run: Run, modules: Sequence_, args: Sequence[Value], at: ast.AST) -> Value:
    """Call an `nn.Sequential`; if its length differs between paths, once for each length."""
    given: Value = args[0] if args else Unknown()
    ways = containers.lengths(run, modules)
    if len(ways) == 1:
        return _call_chain(run, modules, ways[0][1], given, at)
    results: list[tuple[Guard, Value]] = []
    path = run.path
    for guard, count in ways:
        run.path = guard
        found = (
            _call_chain(run, modules, count, given, at) if count != 0 else _empty(run, modules, guard, given)
        )
        results.append((guard, found))
    run.path = path
    return join(results)


def _empty(run: Run, modules: Sequence_, guard: Guard, given: Value) -> Value:
    """What an `nn.Sequential` returns on paths where it has no modules: what it is given.

    If it has none because a name is none of those that it was compared with, that is a guess: such a name is a mistake.
    """
    pairs = (*run.program.built.exclusive, *run.exclusive)
    if all(pair & ~guard.negative for pair in pairs):
        return given
    likely, other = run.doubt(("no module", modules))
    return join([(both(guard, likely), given), (both(guard, other), Unknown())])


def _call_chain(run: Run, modules: Sequence_, count: int | None, value: Value, at: ast.AST) -> Value:
    """Call the first `count` modules one after the other; None if their number is not known.

    Then those of two rounds of the loop that made them stand for all. Where this order is not known, the first module
    gets the argument of the call, the last one gives the result, and an unknown value that depends on the weights of
    those between stands for what these return.
    """
    for i in range(count or 0):
        module = run.state.get((modules, i))
        value = run.call(Unknown() if module is None else run.settled(module), [value], {}, at)
    if count is not None:
        return value
    in_order = positions.in_order(modules)
    if in_order:
        return _call_in_order(run, modules, in_order, value, at)
    elements = run.elements(modules)
    if len(elements) == 1 and _is_one_on_each_path(elements[0]):
        return run.call(elements[0], [value], {}, at)
    first, last = (_layer_at(run, modules, end) for end in (FIRST, LAST))
    if first is not None:
        value = run.call(first, [value], {}, at)
    value = run.call_unknown(modules, [value], {}, at)
    external_modules.chained(run, value, weights_of(run, modules, builds=False), at)
    # If it is the value that stands for any element, it is not certain to be the last.
    return value if last is None or last in elements else run.call(last, [value], {}, at)


def _is_one_on_each_path(element: Value) -> bool:
    """Whether what stands for all elements of a container is one value on each path, such as the class chosen there."""
    before = NEVER
    for guard, _ in alternatives(element):
        if compatible(before, guard):
            return False
        before = either(before, guard)
    return True


def _call_in_order(
    run: Run, modules: Sequence_, layers: Sequence[tuple[Guard, Value]], value: Value, at: ast.AST
) -> Value:
    """Call the layers that a loop of unknown length made, those of the rounds that were run, each on its own paths."""
    path = rest = run.path
    for guard, _ in layers:
        rest = minus(rest, guard)
    if rest:
        value = join([(minus(path, rest), value), (rest, _empty(run, modules, rest, value))])
    for guard, layer in layers:
        run.path = both(path, guard)
        if run.path:
            found = run.call(layer, [value], {}, at)
            value = join([(guard, found), (minus(path, guard), value)]) if run.path != path else found
    run.path = path
    return value


def _layer_at(run: Run, modules: Sequence_, end: str) -> Value | None:
    """The first or last module, if it is no container itself: to enter nested chains costs too much."""
    found = positions.at_end(run, modules, end)
    return None if isinstance(found, Sequence_) else found


def call_module(
    run: Run, module: TorchModule, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """Call a layer of torch: what it saves and writes there is known to be of this layer."""
    outer, run.keeping.layer = run.keeping.layer, module.built
    result = _perform(run, module, args, kwargs, at)
    run.keeping.layer = outer
    return result


def _perform(
    run: Run, module: TorchModule, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """Apply the row of a layer in the op table for its configuration, in training and evaluation mode."""
    model = table.module(module.name)
    if model is None:
        model = run.program.declared.layer(module.name)
        run.declared.told[at] = run.program.declared.said_of(module.name, run.frame.module), run.frame.module
    if model is None:
        return einops.call_layer(run, module, args, at) or run.call_unknown(module, args, kwargs, at)
    module = layers.as_set(run, module)
    for name, value in module.config.items():
        if isinstance(value, Phi) and all(isinstance(a, (Constant, Scalar)) for _, a in value.alternatives):
            return _call_each(run, module, name, value, args, kwargs, at)
    config = {name: ops.kind(run, value) for name, value in module.config.items()}
    config = {name: "?" if found in ("N", "T", "L") else found for name, found in config.items()}
    trained, evaluated = model.facts(config, True), model.facts(config, False)
    binding = model.bind([ops.kind(run, a) for a in args], {n: ops.kind(run, v) for n, v in kwargs.items()})
    values = [None if p is None else args[p] if isinstance(p, int) else kwargs[p] for p in binding]
    name = module.name.rpartition(".")[2]
    in_training = layers.training(run)
    if isinstance(in_training, Constant):
        facts = trained if in_training.value else evaluated
        result = ops.perform(run, f"nn.{name}", facts, values, at, True, module.weights)
        modules.statistics(run, module, bool(in_training.value), result, at)
        return result
    if trained is evaluated:
        return ops.perform(run, f"nn.{name}", trained, values, at, True, module.weights)
    results: list[tuple[Guard, Value]] = []
    path = run.path
    for facts, holds in ((trained, True), (evaluated, False)):
        run.path = both(path, literal(in_training.bit, holds))
        if run.path:
            results.append(
                (run.path, ops.perform(run, f"nn.{name}", facts, values, at, True, module.weights))
            )
    run.path = path
    return join(results) if results else Unknown()


def _call_each(
    run: Run,
    module: TorchModule,
    name: str,
    flag: Phi,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
) -> Value:
    """Call a layer whose argument `name` differs between paths: once for each of its values."""

    def call(atom: Value) -> Value:
        one = TorchModule(module.name, {**module.config, name: atom}, module.weights, module.built)
        one.owns = module.owns
        return call_module(run, one, args, kwargs, at)

    return run.each(flag, call)
