"""Chooses the functions of a file that are worth a run, runs them, and gathers what they found."""

from __future__ import annotations

from ..sketch.patterns import Pattern
from ..syntax.annotations import LISTS, MAPPINGS, SCALARS, annotated
from ..torchmodel.spelling import TENSOR_TYPES
from . import calls, classes, execute, foreign, inherited, names, objects, supposed
from .callers import NO_NEED, callers_of, has_no_other_caller, is_private, needs
from .findings import Finding, of_run, once_for_each_write, prevailing
from .frames import Frame
from .guards import ALWAYS, literal
from .program import BASE_BITS, FILE_BITS, Program
from .reconsider import reconsider
from .run import NESTED, OutOfBudget, Run
from .storage import DOES, NEVER
from .values import (
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Unknown,
    Value,
    alternatives,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from ..syntax.module import FunctionSource, Module
    from .storage import Storage

#: How far a function that writes its argument is followed to its callers, within its file.
_CALLERS = 3


def analyze(module: Module, program: Program) -> list[Finding]:
    """Every finding of a file, each place once, at the highest confidence that any run gives it."""
    return gathered(module, program, program.roots(module))


def gathered(module: Module, program: Program, pending: list[FunctionSource | None]) -> list[Finding]:
    """The findings of runs that start from these roots, and from callers that know more than they do."""
    program.writers.clear()
    if program.base_bits > FILE_BITS:
        program.forget_objects()
    found: dict[tuple[object, ...], tuple[Finding, FunctionSource | None]] = {}
    roots: dict[FunctionSource | None, None] = {}
    notes = program.sketches.notes
    for run, root in runs(module, program, pending):
        for finding in of_run(run, module, root):
            known = found.get(finding.key())
            if known is None or known[0].confidence < finding.confidence:
                found[finding.key()] = (finding, root)
            else:
                known[0].join(finding)
            if notes or finding.is_shown():
                roots[root] = None
    if roots:
        reconsider(module, program, list(found.values()))
    findings = once_for_each_write([finding for finding, _ in found.values()])
    if roots:
        _observe(module, program, list(roots), [f for f in findings if notes or f.is_shown()])
    return prevailing(findings)


def _observe(
    module: Module, program: Program, roots: list[FunctionSource | None], findings: list[Finding]
) -> None:
    """Run once more and look closely at the writes that findings speak of: a fix has to know who shares them."""
    by_place: dict[ast.AST, list[Finding]] = {}
    for finding in findings:
        if finding.kind != "step":
            at = finding.at if finding.write is None else finding.write.at
            by_place.setdefault(at, []).append(finding)
    program.observed = frozenset(by_place)
    try:
        for root in roots:
            for seen in deepened(program, module, root).observations:
                for finding in by_place.get(seen.place.at, ()):
                    finding.sharing.append(seen)
    finally:
        program.observed = frozenset()


def runs(
    module: Module, program: Program, pending: list[FunctionSource | None]
) -> list[tuple[Run, FunctionSource | None]]:
    """One finished run for each root, and for callers that know more than it does."""
    done: dict[FunctionSource | None, Run] = {}
    #: callers that record nothing: what hangs on gradients does not happen in them
    quiet: set[FunctionSource | None] = set()
    for _ in range(_CALLERS):
        asked: dict[FunctionSource, int] = {}
        for root in pending:
            if root in done:
                continue
            run = done[root] = deepened(program, module, root)
            need = needs(run, module, root) if root is not None else NO_NEED
            if root is not None and need:
                asked[root] = need
        calling = callers_of(program, module, asked)
        quiet.update(f for f, runs_it in calling.items() if not runs_it)
        pending = [f for f, runs_it in calling.items() if runs_it and f not in done]
        program.writers.update(asked)  # who is asked about a function has to enter it
        program.writers.update(f for f in pending if f is not None)
        if not pending:
            break
    program.cut_short.update((root, run.cut) for root, run in done.items() if run.cut)
    entered = {source for root, run in done.items() for source in run.entered if source is not root}
    return [
        (run, root)
        for root, run in done.items()
        if root is None
        or not is_private(root)
        or not (root in entered or has_no_other_caller(module, root, quiet.union(done)))
    ]


#: How often a root is run again to enter calls that turn out to matter.
_DEEPER = 4
#: How far a run goes that trains: what no longer fits may be the very forward whose gradients are asked for.
_TRAINING = 8_000


def deepened(program: Program, module: Module, root: FunctionSource | None) -> Run:
    """A run that has entered every call that touches what is written."""
    deep: frozenset[FunctionSource] = frozenset()
    usual = program.soft_limit
    try:
        for _ in range(_DEEPER):
            run = run_function(program, root, deep) if root is not None else run_body(program, module, deep)
            wanted = _worth_entering(run) - deep
            learnt = root is not None and _learn_tensors(program, run, root)
            if run.trains and run.steps > run.soft_limit and program.soft_limit == usual:
                program.soft_limit = _TRAINING
            elif not wanted and not learnt:
                break
            deep |= wanted
    finally:
        program.soft_limit = usual
    return run


def _learn_tensors(program: Program, run: Run, root: FunctionSource) -> bool:
    """Remember the arguments that were written as only tensors are, after what may have been a list gave an element.

    Run again, the element is a view.
    """
    known = program.tensors.setdefault(root, set())
    before = len(known)
    written = {write.storage for write in run.writes}
    for name, value in run.root_args.items():
        tensor = value.tensor if isinstance(value, Unknown) else None
        if tensor is None or tensor.storage not in written or tensor.storage.parts_only:
            continue
        if tensor.storage.proved and any(
            type(key) is tuple and len(key) == 3 and key[0] is value and type(key[2]) is int
            for key in run.bottom().slots
        ):
            known.add(name)
    return len(known) > before


def _worth_entering(run: Run) -> frozenset[FunctionSource]:
    """The functions whose calls were passed over although they were given, or returned, what is written in the run."""
    if not run.skipped:
        return frozenset()
    written = {write.storage for write in run.writes}
    if run.steps_parameters or not written.isdisjoint(run.stand_ins):
        return frozenset(call.source for call in run.skipped)
    owners: set[Value] = set()
    for storage in written:
        value: Value | None = storage.value
        while value is not None:
            owners.add(value)
            value = value.owner if isinstance(value, Unknown) else None
    if run.trains:
        owners |= _behind_hazards(run)
    return frozenset(
        call.source
        for call in run.skipped
        if call.tensors & written
        or call.result in owners
        or call.given & owners
        or any(isinstance(value, Instance) and _holds(run, value, written) for value in call.given)
    )


def _behind_hazards(run: Run) -> set[Value]:
    """The values of unknown kind that only may require grad, and with them what was saved and then written."""
    found: set[Value] = set()
    seen: set[Storage] = set()
    for hazard in run.heap.hazards:
        pending = [hazard.saved.storage, *hazard.saved.sources] if hazard.saved.grad < DOES else []
        while pending:
            storage = pending.pop()
            if storage not in seen:
                seen.add(storage)
                pending += storage.evidence
                if storage.value is not None:
                    found.add(storage.value)
    return found


def _holds(run: Run, obj: Instance, written: set[Storage]) -> bool:
    """Whether an attribute of the object is one of the tensors that were written."""
    return any(
        isinstance(atom, Tensor) and atom.storage in written
        for value in run.elements(obj)
        for _, atom in alternatives(value)
    )


def new_run(program: Program, module: Module) -> Run:
    """A run that stands at the top level of the file."""
    if program.base_bits >= BASE_BITS:
        program.forget_objects()
    run = Run(program)
    frame = Frame(run.uid(), module, None, None, None, None)
    run.frame = frame
    run.frames[frame.uid] = frame
    return run


def run_function(
    program: Program, source: FunctionSource, deep: frozenset[FunctionSource] = frozenset()
) -> Run:
    """Run a function for any arguments: of a method, on an object as its class builds it."""
    module = source.module
    cls = None if source.owner is None else program.class_value(source.owner)
    run = new_run(program, module)
    run.deep = deep
    if cls is not None and not cls.bases and cls.source.bases:
        cls.bases = [names.evaluate_in(run, module, base) for base in cls.source.bases]
    function: Value
    if cls is not None:
        function = classes.find(run, cls.order(), source.name) or Unknown()
        if source.name not in cls.source.methods and isinstance(function, FunctionValue):
            source = function.source  # inherited, and run on an object of the class that inherits it
    elif module.functions.get(source.name) is source:
        function = names.of_module(run, module, source.name)
    else:
        function = FunctionValue(source)
    wrapper: FunctionValue | None = None
    if not isinstance(function, FunctionValue) or function.source is not source:
        # A decorator of the project's own may switch gradients off, so what it made is what is called.
        wrapper = function if isinstance(function, FunctionValue) else None
        function = FunctionValue(source)
        function.cls = cls
        if getattr(source.node, "decorator_list", None):
            function.decorated = [Unknown()]  # in which grad mode its wrapper calls it is not known
    run.body_of = source
    args: dict[str, Value] = {}
    if (
        cls is not None
        and source.parameters
        and classes.descriptor(function)
        not in (
            "staticmethod",
            "classmethod",
        )
    ):
        obj = Instance(cls) if source.name == "__init__" else build(program, cls)
        run.outside.add(obj)
        args[source.parameters[0].arg] = obj
    args = arguments(run, source, args)
    run.root_args = dict(args)
    _expect_weights(run, source)
    if cls is not None and any(base.endswith("autograd.Function") for base in cls.external_bases()):
        run.grad = "off"  # autograd runs forward and backward of a Function without recording
    if program.second_look and cls is not None and source.name == "forward":
        from .kinds import mark_targets

        mark_targets(run, cls, [args[p.arg] for p in source.parameters[1:]])
    try:
        if wrapper is None:
            result = calls.enter(run, function, [], args, source.node, force=True)
        else:
            result = calls.enter(run, wrapper, list(args.values()), {}, source.node, force=True)
        run.path = run.path or ALWAYS
        run.returned = run.tensors_within(result)
        run.heap.escape(run.returned, ALWAYS)
        _try_out(run)
    except OutOfBudget as end:
        run.cut = str(end)
    except RecursionError:
        run.cut = NESTED
    return run


def _try_out(run: Run) -> None:
    """Call the modules that were built of a part that works in place, and that nobody here has called."""
    for obj in run.outfitted:
        forward = classes.find(run, obj.cls.order(), "forward")
        source = forward.source if isinstance(forward, FunctionValue) else None
        if isinstance(forward, FunctionValue) and source not in run.entered and source and source.parameters:
            run.path = ALWAYS
            args = arguments(run, source, {source.parameters[0].arg: obj})
            result = calls.enter(run, forward, [], args, source.node, force=True)
            run.heap.escape(run.tensors_within(result), ALWAYS)


_ASKED = Pattern(rb"\b(\w+)\.(?:named_)?parameters\(")


def _expect_weights(run: Run, source: FunctionSource) -> None:
    """An argument that is asked for its parameters is a module: what it is called for before that, saves them too."""
    run.expects_modules = _steps_something(source)
    text = source.text
    for name in _ASKED().findall(text) if b"parameters(" in text else ():
        value = run.root_args.get(name.decode())
        if isinstance(value, Unknown) and value.tensor is None:
            foreign.expected_weights(run, value)


def _steps_something(source: FunctionSource) -> bool:
    """Whether the function, or the class that it is a method of, trains by an optimizer."""
    text = source.text if source.owner is None else source.owner.text
    return all(word in text for word in (b".backward(", b".step(", b"zero_grad("))


def run_body(program: Program, module: Module, deep: frozenset[FunctionSource] = frozenset()) -> Run:
    """Run the statements at the top level of a file."""
    run = new_run(program, module)
    run.deep = deep
    run.module_frames[module.filename] = run.frame
    try:
        execute.block(run, module.body)
        _try_out(run)
    except OutOfBudget as end:
        run.cut = str(end)
    except RecursionError:
        run.cut = NESTED
    return run


def arguments(run: Run, source: FunctionSource, known: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of a function, by name, before any call of it is seen; those that are `known` stay."""
    args = dict(known)
    parameters = (*source.parameters, *source.node.args.kwonlyargs)
    module = source.module
    # Without a class in sight, or a name of one, `supposed` need not be read.
    if module.classes or b".backward(" in module.source or any(p.annotation is not None for p in parameters):
        args.update(supposed.objects(run, source, known))
    for parameter in parameters:
        if parameter.arg not in args:
            args[parameter.arg] = argument(run, source, parameter)
    return args


def arguments_of(run: Run, init: FunctionSource, obj: Instance) -> dict[str, Value]:
    """What the `__init__` of an object that somebody else has made was given, but for the object."""
    if not init.parameters:
        return {}  # `*args` takes the object as well
    args = arguments(run, init, {init.parameters[0].arg: obj})
    del args[init.parameters[0].arg]
    return args


def argument(run: Run, source: FunctionSource, parameter: ast.arg) -> Value:
    """What is known of an argument before any call is seen: its annotation and its default."""
    annotation = annotated(parameter.annotation)
    if annotation in SCALARS and annotation != "bool":
        number = Scalar()
        number.number = annotation in ("int", "float")
        return number
    default = source.default_of(parameter)
    constant = (
        getattr(default, "value", None) if default is not None and not hasattr(default, "attr") else None
    )
    if annotation in LISTS or annotation in MAPPINGS:
        made: Value = Sequence_("unknown") if annotation in LISTS else Mapping_()
        if default is None or getattr(default, "value", default) is not None:
            return made
        bit = run.bit(("argument", source, parameter.arg))
        return Phi(((literal(bit, True), made), (literal(bit, False), Constant(None))))
    if annotation == "bool" or isinstance(constant, bool):
        bit = run.bit(("argument", source, parameter.arg))
        return Phi(((literal(bit, True), Constant(True)), (literal(bit, False), Constant(False))))
    if isinstance(constant, (int, float, str)):
        plain = Scalar()
        plain.default = constant if isinstance(constant, str) else None
        return plain
    if default is not None and constant is None and getattr(default, "value", default) is not None:
        given = names.evaluate_in(run, source.module, default)
        if isinstance(given, (Symbol, ClassValue, FunctionValue, Bound)):
            return given  # a class or function to build with: the one that most callers leave as it is
    value = Unknown()
    if parameter.arg in run.program.tensors.get(source, ()):
        known = run.as_tensor(value)
        if known is not None:
            known.storage.proved = True
    if annotation in TENSOR_TYPES:
        tensor = run.as_tensor(value)
        if tensor is not None:
            tensor.storage.proved = True
            if TENSOR_TYPES[annotation]:
                tensor.storage.dtype, tensor.storage.grad = TENSOR_TYPES[annotation], NEVER
    return value


def build(program: Program, cls: ClassValue) -> Instance:
    """One object of a class, to be built with arguments of which only the defaults are known."""
    known = program.built.get(cls)
    if known is not None:
        return known
    run = program.building_run(cls.source.module)
    if not cls.bases and cls.source.bases:
        cls.bases = [names.evaluate_in(run, cls.source.module, base) for base in cls.source.bases]
    obj = program.built[cls] = Instance(cls, shared=True)
    init = classes.find(run, cls.order(), "__init__")
    if isinstance(init, FunctionValue):
        obj.pending = ([], arguments_of(run, init.source, obj))
    elif inherited.base_of(cls):
        obj.pending = ([], {})
    else:
        for name in objects.fields(cls):
            obj.keys[name] = None
            program.base.slots[(obj, name)] = Unknown()
    return obj
