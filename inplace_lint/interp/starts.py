"""Starts runs: of a function for any arguments, of the top level of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..prefilter.grad_mode import is_unrecorded_method
from ..prefilter.source_words import Pattern, runs_backward, steps_something
from ..syntax.nodes import key_of
from . import callbacks, classes, decorators, driver_run, external_modules, lookup, names
from .budget import NESTED, OutOfBudget
from .entry_arguments import arguments
from .frames import Frame
from .grad_evidence import mark_targets
from .grad_mode import Mode
from .guards import ALWAYS
from .interpreter import Interpreter
from .joins import join
from .program import BASE_BITS, Program
from .standing import build
from .values import Bound, FunctionValue, Instance, Unknown, Value, alternatives

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..syntax.module import FunctionSource, Module
    from .guards import Guard
    from .run import Run


def new_run(program: Program, module: Module, run: Run | None = None) -> Run:
    """A run, by default an `Interpreter`, positioned at the top level of the file."""
    if program.built.count >= BASE_BITS:
        program.forget_objects()
    run = run or Interpreter(program)
    frame = Frame(run.uid(), module, None, None, None, None)
    run.frame = frame
    run.frames[frame.uid] = frame
    run.budget.looks_aside = run.budget.trains or runs_backward(module)
    return run


def run_function(
    program: Program,
    source: FunctionSource,
    deep: frozenset[FunctionSource] = frozenset(),
    run: Run | None = None,
) -> Run:
    """Run a function for any arguments, a method on an object as its class builds it; `run`: the run to use."""
    run = new_run(program, source.module, run)
    run.entering.deep = deep
    if program.tally is not None:
        program.tally.begun(source)
    return _until_cut(run, lambda: _call_with_anything(run, source))


def _until_cut(run: Run, action: Callable[[], None]) -> Run:
    """The run, after the action has ended or used up its budget; then `found.cut` says so."""
    try:
        action()
        _try_out(run)
    except OutOfBudget as end:
        run.found.cut, run.found.may_lack_writes = str(end), True
    except RecursionError:
        run.found.cut, run.found.may_lack_writes = NESTED, True
    return run


def _call_with_anything(run: Run, source: FunctionSource) -> None:
    """Call the root with unknown arguments, through its decorators, and let its results escape."""
    program, module = run.program, source.module
    cls = None if source.owner is None else program.class_value(source.owner)
    if cls is not None and not cls.bases and cls.source.bases:
        cls.bases = [names.evaluate_in(run, module, base) for base in cls.source.bases]
    function: Value = Unknown()
    if cls is not None:
        key = key_of(source.node, source.name)
        function = lookup.find(run, cls.order(), key) or Unknown()
        if key not in cls.source.methods and isinstance(function, FunctionValue):
            source = function.source  # inherited: run it on an object of the inheriting class
    elif module.functions.get(source.name) is source:
        function = names.of_module(run, module, source.name)
    if cls is None and not isinstance(function, FunctionValue):
        # The name is bound more than once, as `_` is, or not at the top level.
        function = names.decorated(run, FunctionValue(source))
    wrapper: FunctionValue | None = None
    if not isinstance(function, FunctionValue) or function.source is not source:
        # A decorator of the project may switch gradients off, so call the wrapper that it made.
        wrapper = function if isinstance(function, FunctionValue) else None
        function = FunctionValue(source)
        function.cls = cls
        if getattr(source.node, "decorator_list", None):
            function.decorated = [Mode("unknown")]  # in which grad mode the wrapper calls it is not known
    run.entering.body_of = source
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
        run.root.outside.add(obj)
        args[source.parameters[0].arg] = obj
    args = arguments(run, source, args)
    run.root.args = dict(args)
    _expect_weights(run, source)
    if cls is not None and is_unrecorded_method(source.name, cls.external_bases()):
        run.grad = "off"
    if program.second_look and cls is not None and source.name == "forward":
        mark_targets(run, cls, [args[p.arg] for p in source.parameters[1:]])
    if wrapper is None:
        results = []
        for guard, version in _versions(run, function, args):
            run.path = guard
            results.append((guard, run.enter(version, [], args, source.node, force=True)))
        result = join(results)
    else:
        # The outermost decorator, of whatever file, is where this file calls the wrapper.
        at = next(iter(getattr(source.node, "decorator_list", ())), source.node)
        result = run.enter(wrapper, list(args.values()), {}, at, force=True)
    run.path = run.path or ALWAYS
    run.root.returned = run.tensors_within(result)
    run.heap.escape(run.root.returned, ALWAYS)


def _versions(
    run: Run, function: FunctionValue, args: Mapping[str, Value]
) -> list[tuple[Guard, FunctionValue]]:
    """The root itself, or what its object's `__init__` puts in its place: `self.forward = no_grad()(self.forward)`.

    Where that records nothing unless the object is built with a flag that is off by default, so it is left.
    """
    source = function.source
    obj = args.get(source.receiver)
    if not isinstance(obj, Instance) or not run.program.replaces(obj.cls, source.name):
        return [(run.path, function)]
    own = alternatives(run.attribute(obj, source.name, source.node))
    bound = [(guard, atom.func) for guard, atom in own if isinstance(atom, Bound)]
    versions = [
        (guard, one) for guard, one in bound if isinstance(one, FunctionValue) and one.source is source
    ]
    quiet = [(guard, one) for guard, one in versions if decorators.records_nothing(one)]
    if quiet and not any(
        run.as_built_by_default(guard) for guard, one in versions if (guard, one) not in quiet
    ):
        return quiet
    return versions or [(run.path, function)]


def _try_out(run: Run) -> None:
    """Call what the run made for others to call, if it has not called that itself.

    Those are callbacks that train, and modules that were built with an argument that works in place.
    """
    callbacks.call_the_rest(run)
    for obj in run.entering.outfitted:
        forward = lookup.find(run, obj.cls.order(), "forward")
        source = forward.source if isinstance(forward, FunctionValue) else None
        if (
            isinstance(forward, FunctionValue)
            and source not in run.entering.entered
            and source
            and source.parameters
        ):
            run.path = ALWAYS
            args = arguments(run, source, {source.parameters[0].arg: obj})
            result = run.enter(forward, [], args, source.node, force=True)
            run.heap.escape(run.tensors_within(result), ALWAYS)


_ASKED = Pattern(rb"\b(\w+)\.(?:named_)?parameters\(")


def _expect_weights(run: Run, source: FunctionSource) -> None:
    """Treat arguments whose `parameters()` the text reads as modules from the start: earlier calls save them too."""
    run.handed.expects_modules = steps_something(source)
    text = source.text
    for name in _ASKED().findall(text) if b"parameters(" in text else ():
        value = run.root.args.get(name.decode())
        if isinstance(value, Unknown) and value.tensor is None:
            external_modules.expected_weights(run, value)


def run_body(
    program: Program,
    module: Module,
    deep: frozenset[FunctionSource] = frozenset(),
    run: Run | None = None,
) -> Run:
    """Run the top level of a file, and without `run` the supposed callers of its training (`driver_run`)."""
    ways = program.drivers if run is None else []
    run = new_run(program, module, driver_run.DriverRun(program, module) if ways else run)
    run.entering.deep = deep
    run.top_levels.frames[module.filename] = run.frame
    _until_cut(run, lambda: run.block(module.body))
    if ways and isinstance(run, driver_run.DriverRun) and not run.found.cut:
        run.train(ways)
    return run
