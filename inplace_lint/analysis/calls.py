"""Calls: of the project's functions (entered), of its classes, of nn modules, and of what is not known."""

from __future__ import annotations

from ..torchmodel import table
from ..torchmodel.spelling import MODES
from . import attributes, containers, execute, foreign, inherited, methods, modules, names, ops, symbols
from .frames import DEAD, Frame, State
from .guards import ALWAYS, both, literal, relative
from .heap import Node, Saved
from .run import DEPTH, LAST, Skipped, flatten
from .values import (
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Mode,
    Native,
    OpValue,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    join,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from ..syntax.module import FunctionSource
    from .frames import Place
    from .guards import Guard
    from .run import Run


def call(
    run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool = True
) -> Value:
    """The value of func(*args, **kwargs); `exact` is False where some arguments came from what is not known."""
    if isinstance(func, Phi):
        results = []
        path = run.path
        for guard, atom in run.live(func):
            run.path = guard
            results.append((guard, call(run, atom, args, kwargs, at, exact)))
        run.path = path
        return join(results) if results else Unknown()
    while isinstance(func, Bound):
        args = [*func.args, *args]
        kwargs = {**func.kwargs, **kwargs}
        func = func.func
    if isinstance(func, OpValue):
        op = func.op
        short = op.name.rpartition(".")[2]
        proves = True
        if op.name.startswith("Tensor."):
            # Arrays have some of the methods too, but call these arguments axis and keepdims.
            proves = attributes.proves_tensor(short) or "dim" in kwargs or "keepdim" in kwargs
        return ops.apply(run, op, args, kwargs, at, proves)
    if isinstance(func, Native):
        if func.exact and not exact and run.spread is None:
            return unknown(run, func, args, kwargs, at)
        result = func.play(run, args, kwargs, at)
        return result if isinstance(result, Value) else Unknown()
    if isinstance(func, FunctionValue):
        return enter(run, func, args, kwargs, at, exact)
    if isinstance(func, Symbol):
        if not exact and func.dotted in ("torch.nn.Sequential", "torch.nn.ModuleList"):
            # Of modules that are not known one by one.
            spread, run.spread = run.spread, None
            if spread is None:
                return unknown(run, func, args, kwargs, at)
            return containers.of_unknown_length(run, func.dotted.rpartition(".")[2], spread)
        return symbols.call(run, func.dotted, args, kwargs, at)
    if isinstance(func, ClassValue):
        return instantiate(run, func, args, kwargs, at, exact)
    if isinstance(func, TorchModule):
        layer = func
        return modules.called(run, layer, args, at, lambda args: call_module(run, layer, args, kwargs, at))
    if isinstance(func, Instance):
        obj = func
        return modules.called(
            run, obj, args, at, lambda args: call_instance(run, obj, args, kwargs, at, exact)
        )
    if isinstance(func, Sequence_) and func.kind == "Sequential":
        chain = func
        return modules.called(run, chain, args, at, lambda args: _call_sequential(run, chain, args, at))
    if isinstance(func, Scalar):
        return Scalar()
    return unknown(run, func, args, kwargs, at)


def unknown(run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """A call of something that is not known: its result may hang on everything that was given to it."""
    given = [found for value in (*args, *kwargs.values()) for found in run.tensors_within(value)]
    run.given.update(tensor.storage for _, tensor in given)
    run.lends = (
        run.lends
        or any(run.heap.record(tensor.storage).grads for _, tensor in given)
        or any(isinstance(atom, Instance) for value in (*args, *kwargs.values()) for atom in flatten(value))
    )
    if isinstance(func, Unknown):
        return foreign.called(run, func, given, [*args, *kwargs.values()], at)
    result = Unknown()
    result.nodes, result.returned = given, True
    return result


# Functions of the project


def decorated(run: Run, function: FunctionValue, decorators: Sequence[Value], at: ast.AST) -> Value:
    """The value that a function has once its decorators are applied, innermost first."""
    result: Value = function
    for decorator in reversed(decorators):
        if isinstance(decorator, Symbol) and decorator.dotted in MODES:
            decorator = symbols.mode(decorator.dotted, [], {})
        if isinstance(decorator, (FunctionValue, Native)) and isinstance(result, FunctionValue):
            wrapped = call(run, decorator, [result], {}, at)
            if isinstance(wrapped, FunctionValue):
                wrapped.cls = result.cls
                result = wrapped
                continue
        if isinstance(result, FunctionValue):
            result.decorated = [*(result.decorated or ()), decorator]
        elif not isinstance(decorator, (Mode, Symbol)):
            return Unknown()
    return result


def leave(run: Run, value: Value) -> None:
    """Return from the current function along the current path."""
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
) -> Value:
    """Run the body of a function of the project with these arguments; `force` takes generators too."""
    source = function.source
    if not force and (
        run.frame.depth >= DEPTH
        or run.steps > run.soft_limit
        or run.active.count(source) > 1
        or not run.path
        or source.is_generator
    ):
        result = unknown(run, function, args, kwargs, at)
        if source.is_generator:
            run.generators[result] = source
        return result
    if (
        not force
        and source not in run.deep
        and not run.builds
        and source.name != "__init__"
        and not _is_small(source)
        and not run.program.enters(source)
        and not _is_given_a_writer(run, args, kwargs)
    ):
        return skip(run, source, args, kwargs)
    frame = Frame(
        run.uid(),
        source.module,
        source,
        run.place(at),
        None if function.frame is None else run.frames.get(function.frame),
        function.cls,
    )
    run.frames[frame.uid] = frame
    outer = (run.frame, run.state, run.grad, run.autocast, run.loops)
    path, asked = run.path, run.asked
    run.state = State(run.state)
    frame.base = outer[1]
    bound = bind(run, function, args, kwargs, exact)
    run.frame, run.loops = frame, []
    run.active.append(source)
    run.entered.add(source)
    frame.given = bound
    for name, value in bound.items():
        run.state.slots[(frame.uid, name)] = value
    for decorator in function.decorated or ():
        apply_mode(run, decorator)
    begun_in = run.grad
    execute.block(run, source.body)
    if run.path:
        leave(run, Constant(None))
    run.active.pop()
    left_in = run.grad
    run.frame, run.state, run.grad, run.autocast, run.loops = outer
    if left_in != begun_in:
        run.grad = left_in  # `torch.set_grad_enabled(…)` outlives the call
    uid = frame.uid
    outcomes = []
    conditions = []
    for guard, _, changes in frame.returns:
        if not frame.captured:
            changes = {k: v for k, v in changes.items() if not (type(k) is tuple and k[0] == uid)}
        outcomes.append((guard, changes))
        conditions.append(relative(guard, path))
    run.merge(outcomes, conditions)
    if not frame.returns:
        return Unknown()
    result = join([(condition, ret[1]) for condition, ret in zip(conditions, frame.returns)])
    return _answer(run, result, at) if isinstance(result, Phi) and run.asked > asked else result


#: An answer that depends on more cases than this is not told apart by them.
_CASES = 4


def _answer(run: Run, result: Phi, at: ast.AST) -> Value:
    """What a function returned; a truth value that hangs on gradients in too many ways only says that it does."""
    if len(result.alternatives) <= _CASES:
        return result
    if not all(isinstance(atom, (Scalar, Constant, Unknown)) for _, atom in result.alternatives):
        return result
    bit = run.bit(("answer", at, run.frame.uid))
    run.doubtful |= 1 << bit
    return run.test_of_bit(bit)


#: Functions of at most this many instructions are entered always: it costs less than to find out whether it matters.
_SMALL = 12


def _is_small(source: FunctionSource) -> bool:
    last, first = source.node.end_lineno or 0, source.node.lineno
    return last - first <= 4 and len(source.body) <= _SMALL


def _is_given_a_writer(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether an argument is an object that writes when it is called: whoever gets it may call it.

    So is one whose mode was set: in training, batch statistics are written, which an evaluation has read.
    """
    for value in (*args, *kwargs.values()):
        if isinstance(value, Instance):
            if run.state.get((value, "mode")) is not None:
                return True
            for name in ("forward", "__call__"):
                found = attributes.find_in_classes(run, value.cls.order(), name)
                if isinstance(found, FunctionValue) and run.program.enters(found.source):
                    return True
    return False


def skip(run: Run, source: FunctionSource, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """Pass over a call in which nothing is written. Whether it matters shows when what it touched is written later."""
    result = Unknown()
    values = [*args, *kwargs.values()]
    result.nodes = [found for value in values for found in run.tensors_within(value)]
    result.returned = True
    result.of_module = source.name == "forward"
    storages = {tensor.storage for _, tensor in result.nodes}
    run.given |= storages
    run.skipped.append(
        Skipped(source, {atom for value in values for atom in flatten(value)}, storages, result)
    )
    return result


def apply_mode(run: Run, decorator: Value) -> None:
    """What a decorator does to the grad mode of the function under it."""
    if isinstance(decorator, Mode):
        if decorator.grad is not None:
            run.grad = decorator.grad
        run.autocast = run.autocast or decorator.autocast
        run.unchecked = decorator.unchecked or run.unchecked
        run.unsaved = decorator.unsaved or (run.unsaved and decorator.unchecked is None)
        run.preserved |= decorator.preserved
    elif not isinstance(decorator, Symbol) and not isinstance(decorator, Scalar) and run.grad == "on":
        run.grad = "unknown"


def bind(
    run: Run,
    function: FunctionValue,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    exact: bool,
) -> dict[str, Value]:
    """Parameters by name."""
    source = function.source
    arguments = source.node.args
    bound: dict[str, Value] = {}
    positional = source.parameters
    for parameter, value in zip(positional, args):
        bound[parameter.arg] = value
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = containers.make(run, "tuple", args[len(positional) :], exact)
    rest = Mapping_()
    run.born[rest] = run.inexact
    names_known = {p.arg for p in (*positional, *arguments.kwonlyargs)}
    for name, value in kwargs.items():
        if name in names_known:
            bound[name] = value
        else:
            run.put(rest, ("key", name), value)
    if arguments.kwarg is not None:
        bound[arguments.kwarg.arg] = rest
    for parameter in (*positional, *arguments.kwonlyargs):
        if parameter.arg not in bound:
            bound[parameter.arg] = default(run, function, parameter) if exact else Unknown()
    return bound


def default(run: Run, function: FunctionValue, parameter: ast.arg) -> Value:
    """The default of a parameter that was not given."""
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
    constant = getattr(node, "value", ops)
    if constant is not ops and not hasattr(node, "attr"):
        return Constant(constant)
    return names.evaluate_in(run, source.module, node)


# Classes and objects


def instantiate(
    run: Run, cls: ClassValue, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
) -> Value:
    """A new object of a class of the project."""
    bases = cls.external_bases()
    if any(
        base in ("builtins.dict", "builtins.list", "builtins.tuple", "typing.NamedTuple") for base in bases
    ):
        return _record(run, cls, args, kwargs) if "typing.NamedTuple" in bases else Unknown()
    obj = Instance(cls, shared=run.builds)
    init = attributes.find_in_classes(run, cls.order(), "__init__")
    if isinstance(init, FunctionValue):
        if methods.is_torch_module(obj) and exact:
            obj.pending = (args, kwargs)  # most of a large model is never looked into
        else:
            enter(run, init, [obj, *args], kwargs, at, exact)
    elif inherited.base_of(cls):
        if not exact:
            return Unknown()
        obj.pending = (args, kwargs)
    elif cls.source.node.decorator_list or not cls.source.methods:
        _fill(run, obj, args, kwargs)
    return obj


def materialise(run: Run, obj: Instance) -> None:
    """Run the `__init__` that was put off: where the object is shared by all runs, in a run of its own."""
    pending, obj.pending = obj.pending, None
    if pending is None:
        return
    args, kwargs = pending
    if obj.shared and not run.builds:
        outer, run = run, run.program.building_run(obj.cls.source.module)
    else:
        outer = run
    frame = Frame(run.uid(), obj.cls.source.module, None, None, None, None)
    run.frames[frame.uid] = frame
    before = (run.frame, run.state, run.path, run.grad, run.autocast, run.loops, run.active, run.inexact)
    overlay = State(run.bottom())
    run.frame, run.state, run.path, run.grad, run.autocast, run.loops = (
        frame,
        overlay,
        ALWAYS,
        "on",
        False,
        [],
    )
    run.active, run.inexact = [], 0
    init = attributes.find_in_classes(run, obj.cls.order(), "__init__")
    if isinstance(init, FunctionValue):
        enter(run, init, [obj, *args], kwargs, obj.cls.source.node)
    else:
        inherited.begin(run, obj, args, kwargs, obj.cls.source.node)
    (run.frame, run.state, run.path, run.grad, run.autocast, run.loops, run.active, run.inexact) = before
    target = run.program.base if run.builds else run.bottom()
    target.slots.update(overlay.slots)
    if run.builds:
        run.program.doubtful |= run.doubtful
        run.program.evaluation |= run.evaluation
        outer.doubtful |= run.doubtful
        outer.evaluation |= run.evaluation


def fields(cls: ClassValue) -> list[str]:
    """The annotated or assigned names of a class body, base classes first: the fields of a dataclass."""
    names_found: list[str] = []
    for owner in reversed(cls.order()):
        names_found.extend(n for n in owner.source.assignments if n not in names_found)
    return names_found


def _fill(run: Run, obj: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]) -> None:
    for name, value in [*zip(fields(obj.cls), args), *kwargs.items()]:
        run.put(obj, name, value)


def _record(run: Run, cls: ClassValue, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    members = fields(cls)
    given = {**dict(zip(members, args)), **kwargs}
    sequence = containers.make(run, "tuple", [given.get(name, Unknown()) for name in members])
    for name in members:
        if name in given:
            run.state.slots[(sequence, "member", name)] = given[name]
    return sequence


def call_instance(
    run: Run, obj: Instance, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
) -> Value:
    """obj(…): `forward` of a module, else `__call__`."""
    for name in ("forward", "__call__") if methods.is_torch_module(obj) else ("__call__", "forward"):
        found = attributes.find_in_classes(run, obj.cls.order(), name)
        if isinstance(found, FunctionValue):
            return call(run, Bound(found, [obj], {}), args, kwargs, at, exact)
    own = inherited.part(run, obj)
    return unknown(run, obj, args, kwargs, at) if own is None else call(run, own, args, kwargs, at, exact)


def _call_sequential(run: Run, modules: Sequence_, args: Sequence[Value], at: ast.AST) -> Value:
    items = containers.items(run, modules)
    value: Value = args[0] if args else Unknown()
    if items is None:
        # In which order the modules follow each other is not known: one kind of module alone tells something.
        elements = run.elements(modules)
        last = run.state.get((modules, LAST))
        if len(elements) == 1 and not isinstance(elements[0], Phi):
            value = call(run, elements[0], [value], {}, at)
        else:
            value = unknown(run, modules, args, {}, at)
        # Whether it is there in the last round of the loop that put it there has to be certain.
        known = isinstance(last, (TorchModule, Instance)) and last not in elements
        return call(run, last, [value], {}, at) if known and last is not None else value
    for module in items:
        value = call(run, module, [value], {}, at)
    return value


def call_module(
    run: Run, module: TorchModule, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """A call of an nn module, as the op table has it for its configuration, in training and in evaluation."""
    model = table.module(module.name)
    if model is None:
        return unknown(run, module, args, kwargs, at)
    for name, value in module.config.items():
        if isinstance(value, Phi) and all(isinstance(atom, Constant) for _, atom in value.alternatives):
            return _call_each(run, module, name, value, args, kwargs, at)
    config = {name: ops.kind(run, value) for name, value in module.config.items()}
    config = {name: "?" if found in ("N", "T", "L") else found for name, found in config.items()}
    trained, evaluated = model.facts(config, True), model.facts(config, False)
    binding = model.bind([ops.kind(run, a) for a in args], {n: ops.kind(run, v) for n, v in kwargs.items()})
    values = [None if p is None else args[p] if isinstance(p, int) else kwargs[p] for p in binding]
    name = module.name.rpartition(".")[2]
    in_training = attributes.training(run)
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
    """A call of a module whose flag is one thing or another: each on paths of its own."""
    results: list[tuple[Guard, Value]] = []
    path = run.path
    for guard, atom in run.live(flag):
        run.path = guard
        one = TorchModule(module.name, {**module.config, name: atom}, module.weights)
        one.owns = module.owns
        results.append((guard, call_module(run, one, args, kwargs, at)))
    run.path = path
    return join(results) if results else Unknown()


def apply_function(run: Run, cls: ClassValue, args: Sequence[Value], at: ast.AST) -> Value:
    """`F.apply(…)` of an autograd.Function: its forward runs without recording; what it saves is kept by one node."""
    forward = attributes.find_in_classes(run, cls.order(), "forward")
    given = [found for value in args for found in run.tensors_within(value)]
    if not isinstance(forward, FunctionValue) or len(forward.source.parameters) == len(args):
        return unknown(run, cls, args, {}, at)
    kept: list[tuple[Guard, Tensor]] = []
    context = Unknown()

    def save_for_backward(run: Run, values: Sequence[Value], kwargs: object, at: ast.AST) -> Value:
        kept.extend(found for value in values for found in run.tensors(value))
        return Constant(None)

    run.bottom().slots[(context, "member", "save_for_backward")] = Native(save_for_backward)
    run.bottom().slots[(context, "member", "mark_dirty")] = Native(lambda *_: Constant(None))
    mode = run.grad
    run.grad = "off"
    result = enter(run, forward, [context, *args], {}, at)
    run.grad = mode
    if mode not in ("on", "unknown"):
        return result
    grads = [found for guard, tensor in given for found in run.heap.gradients(tensor, guard)]
    if not grads:
        return result
    from .heap import strongest

    node = Node([edge for guard, tensor in given for edge in run.heap.nodes(tensor, guard)])
    place = run.place(at)
    result = _own_view(run, result, [tensor for _, tensor in given], place)
    for guard, tensor in run.tensors_within(result):
        run.heap.results_in(tensor.storage, guard, node, strongest(grads))
    inputs = {tensor.storage for _, tensor in given}
    on_context = [
        (guard, tensor, True)
        for value in _read_back(run, cls, run.members(context))
        for guard, tensor in run.tensors(value)
    ]
    for guard, tensor, unchecked in [*((g, t, False) for g, t in kept), *on_context]:
        for need, evidence in strongest(grads):
            saved = Saved(tensor.storage, both(guard, need), node, place)
            saved.op, saved.node_name, saved.attr = (
                cls.source.name,
                f"{cls.source.name}Backward",
                "saved_tensors",
            )
            saved.result = tensor.storage not in inputs
            saved.grad = evidence
            saved.certain = mode == "on"
            saved.sources = tuple(t.storage for _, t in given)
            saved.unchecked = place if unchecked else None
            run.save(saved)
    return result


def _own_view(run: Run, result: Value, given: Sequence[Tensor], place: Place) -> Value:
    """What `apply` returns where `forward` returns an argument as it is: a view of it, made where nothing records."""
    found = []
    for guard, atom in run.live(result):
        tensor = atom.tensor if isinstance(atom, Unknown) else atom
        if isinstance(tensor, Tensor) and any(tensor is one for one in given):
            tensor = tensor.alias()
            tensor.view, tensor.no_grad_view, tensor.made_at = True, place, run.heap.time
            atom = tensor
        found.append((guard, atom))
    return join(found) if found else result


def _read_back(run: Run, cls: ClassValue, kept: Mapping[str, Value]) -> list[Value]:
    """What of the attributes of `ctx` the `backward` of a Function reads, and not only their shape or dtype."""
    backward = attributes.find_in_classes(run, cls.order(), "backward")
    if not isinstance(backward, FunctionValue) or not kept:
        return []
    from ..syntax.statement import attributes_read

    read = attributes_read(backward.source.node)
    return [value for name, value in kept.items() if name in read and isinstance(value, (Tensor, Unknown))]


def _sets_grad_mode(source: FunctionSource) -> bool:
    """Whether a generator, taken for a context manager, may run the block in another grad mode."""
    rows = source.module.lines[source.node.lineno - 1 : source.node.end_lineno or 0]
    return any(b"grad" in row or b"inference_mode" in row for row in rows)


def enter_context(run: Run, manager: Value, at: ast.AST) -> Value:
    """What `with manager as name` binds."""
    if isinstance(manager, Instance):
        found = attributes.find_in_classes(run, manager.cls.order(), "__enter__")
        if isinstance(found, FunctionValue):
            return call(run, Bound(found, [manager], {}), [], {}, at)
        return manager
    if manager in run.generators and _sets_grad_mode(run.generators[manager]):
        run.grad = "unknown"
    if isinstance(manager, Symbol) and manager.dotted in MODES:
        apply_mode(run, symbols.mode(manager.dotted, [], {}))
    return Unknown()
