"""Models Python's builtins (`len`, `list`, `getattr`, `super`) and the few library functions that pass tensors on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    attributes,
    classes,
    collection_types,
    concrete,
    container_operators,
    containers,
    contents,
    contexts,
    data_classes,
    dynamic_names,
    enums,
    external_modules,
    functional,
    grad_evidence,
    holding,
    inherited,
    instances,
    iteration,
    iterators,
    layers,
    lookup,
    names,
    parsers,
    protocols,
    records,
    weights,
)
from .class_value import ClassValue
from .guards import ALWAYS, NEVER, both, either
from .joins import join
from .slices import Slice
from .values import (
    ABSENT,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Native,
    Parameters,
    Scalar,
    Sequence_,
    Symbol,
    Test,
    Text,
    TorchModule,
    Unknown,
    Value,
    alternatives,
    flatten,
    present,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]

NONE = Constant(None)


def _len(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    count = containers.length(run, args[0]) if args else None
    if args and isinstance(args[0], Constant) and isinstance(args[0].value, (str, bytes, tuple)):
        count = len(args[0].value)
    if count is not None:
        return Constant(count)
    own = protocols.method(run, args[0], "__len__") if args and isinstance(args[0], Instance) else None
    if own is not None:
        return run.call(own, [], {}, at)
    if args and isinstance(args[0], ClassValue) and enums.is_enum(args[0]):
        return Constant(len(enums.names(args[0])))
    inner = inherited.contents(run, args[0]) if args else NONE
    if args and inner is not args[0]:
        return _len(run, [inner], {}, at)
    of = args[0] if args else NONE
    now = run.identity(of)  # a list that has changed since is told apart
    return run.scalar(("len", of) if now is of else ("len", of, now))


def _equals(value: Value, number: int) -> bool:
    return isinstance(value, Constant) and value.value == number


def _falls(step: Value) -> bool:
    return isinstance(step, Constant) and isinstance(step.value, int) and step.value < 0


def _numbers(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    plain = [a.value for a in args if isinstance(a, Constant) and isinstance(a.value, int)]
    if run.program.second_look:
        for count in args:
            grad_evidence.mark_integers(run, count)
    if args and len(plain) == len(args) <= 3 and (len(plain) < 3 or plain[2] != 0):
        numbers = range(*plain)
        if len(numbers) <= iteration.UNROLL:
            return iterators.of(True, [Constant(n) for n in numbers])
    bound = args[1] if len(args) > 1 else args[0] if args else Unknown()
    first, last = Scalar(), Scalar()
    if len(args) < 3:
        first.bound = last.bound = bound
        last.last = True
    if len(args) == 1 or (args and _equals(args[0], 0) and not (len(args) == 3 and _falls(args[2]))):
        iterators.rise([first, last])
    elif len(args) == 3 and all(_equals(a, -1) for a in args[1:]):
        return iterators.falling()
    return iterators.of(False, [first, last], len(args) == 1)


def _range(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    numbers = _numbers(run, args, kwargs, at)
    if isinstance(numbers, iterators.Iteration):
        numbers.again = True
    return numbers


def _extreme(name: str) -> Play:
    """`max` or `min`: of numbers a number, else one of the elements."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        known = concrete.fold(run, name, args, kwargs, at)
        if known is not None:
            return known
        among = args[0] if len(args) == 1 else containers.make(run, "list", args)
        if not isinstance(among, Sequence_) or not run.tensors_within(among):
            return other(run, name, args)
        if run.found.observed:
            holding.stored(run, among, at)
        taken = run.item(among, Scalar(), at)
        if "key" in kwargs:
            run.call(kwargs["key"], [taken], {}, at)
        return taken

    return play


def _until(run: Run, function: Value, end: Value, at: ast.AST) -> Value:
    """iter(function, end): calls until the result equals `end`."""

    def draw(count: int | None) -> iterators.Drawn:
        found: list[Value] = []
        for _ in range(iteration.UNROLL if count is None else count):
            value = run.call(function, [], {}, at)
            over = container_operators.contains(run, containers.make(run, "list", [end]), value)
            if over:
                return True, found
            found.append(value)
            if over is None:
                break
        return False, found * 2 if len(found) == 1 else found

    return iterators.Iteration(draw)


def _iter(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) == 2:
        return _until(run, args[0], args[1], at)
    if len(args) != 1:
        return Unknown()
    value = protocols.iterator(run, args[0], at)
    return (
        value
        if isinstance(value, (iterators.Iteration, Parameters))
        else collection_types.collected(run, "iterator", [value], at)
    )


def _next(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    given = run.settled(args[0]) if args else NONE
    if isinstance(given, Parameters):
        return weights.first_of(run, given) or given  # which stands for each of them
    if isinstance(given, Sequence_) and given.kind == "iterator" and not concrete.is_sampled(run, given):
        count = containers.length(run, given)
        if count:
            return run.call(run.attribute(given, "popleft", at), [], {}, at)
        if count == 0 and len(args) > 1:
            return args[1]
    drawn = [(guard, protocols.next_of(run, atom, at)) for guard, atom in run.live(args[0])] if args else []
    if not drawn or all(isinstance(value, Unknown) for _, value in drawn):
        return external_modules.result_of(run, args, {})
    return join(drawn)


def _getattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:

    if len(args) < 2:
        return Unknown()
    if len(args) == 3 and isinstance(args[0], Instance) and isinstance(args[1], Constant):
        return _attribute_or(run, args[0], args[1], args[2], at)
    if (
        len(args) == 3
        and isinstance(args[0], ClassValue)
        and isinstance(args[1], Constant)
        and classes.class_lacks(run, args[0], str(args[1].value))
    ):
        return args[2]
    known = dynamic_names.entry(run, args[0], args[1], at)
    if known is None and isinstance(args[0], Instance):
        known = dynamic_names.attribute(run, args[0], dynamic_names.name_in(at))
    return Unknown() if known is None else known


def _attribute_or(run: Run, obj: Instance, name: Constant, default: Value, at: ast.AST) -> Value:
    """`getattr(obj, name, default)`; a default that is a constant is left out if it is not known which it is."""
    word = str(name.value)
    run.materialise(obj)
    if classes.lacks(run, obj, word):
        return default
    told = present(run.state.get((obj, word))) is not None or lookup.find(run, obj.cls.order(), word)
    if told or all(isinstance(one, (Constant, Scalar)) for one in flatten(default)):
        return run.attribute(obj, word, at)
    held, missing = run.split(_hasattr(run, [obj, name], {}, at))
    return join([(held, run.attribute(obj, word, at)), (missing, default)]) if held else default


def _delattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) == 2 and isinstance(args[1], Constant) and isinstance(args[1].value, str):
        attributes.delete(run, args[0], args[1].value, at)
    return NONE


def _hasattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """hasattr(obj, name), if the attribute was set or removed on this path, or the class defines it."""
    if len(args) == 2 and isinstance(args[0], Instance) and isinstance(args[1], Constant):
        held = None if args[0].pending is not None else run.state.get((args[0], args[1].value))
        if held is not None and args[0] not in run.root.outside:
            return join([(guard, Constant(atom is not ABSENT)) for guard, atom in run.live(held)])
        if isinstance(args[1].value, str) and classes.lacks(run, args[0], args[1].value):
            return Constant(False)
    if len(args) == 2 and isinstance(args[0], ClassValue) and isinstance(args[1], Constant):
        if lookup.find(run, args[0].order(), str(args[1].value)) is not None:
            return Constant(True)
        return Constant(False) if classes.class_lacks(run, args[0], str(args[1].value)) else Scalar()
    if len(args) == 2 and isinstance(args[0], TorchModule) and isinstance(args[1], Constant):
        return Constant(True) if layers.argument(run, args[0], str(args[1].value)) else Scalar()
    return other(run, "builtins.hasattr", args)


def _vars(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return run.attribute(args[0], "__dict__", at) if args else Unknown()


def _globals(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return names.of_module(run, run.frame.module, "__dict__")


def _setattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:

    if len(args) == 3 and isinstance(args[1], Constant) and isinstance(args[1].value, str):
        attributes.assign(run, args[0], args[1].value, args[2], at)
    elif len(args) == 3 and isinstance(args[0], Instance):
        dynamic_names.register(run, args[0], args[2], at)
    return NONE


def _super(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    cls, function = run.frame.cls, run.frame.function
    if cls is None or function is None or not function.parameters:
        return Unknown()
    if len(args) == 2 and isinstance(args[0], ClassValue):
        return classes.Super(args[0], args[1])
    receiver = run.state.get((run.frame.uid, function.parameters[0].arg))
    return classes.Super(cls, Unknown() if receiver is None else receiver)


def _descriptor(name: str) -> Play:
    """Models `staticmethod(function)` and its kin, called instead of written as a decorator."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        function = args[0] if args else Unknown()
        if not isinstance(function, FunctionValue):
            return function if name.endswith("staticmethod") else Unknown()
        made = FunctionValue(function.source, function.frame)
        made.cls, made.defaults = function.cls, function.defaults
        made.decorated = [*(function.decorated or ()), Symbol(name)]
        return made

    return play


def _print(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return NONE


def _deepcopy(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    from .copies import deepcopy

    return deepcopy(run, args[0], at) if args else Unknown()


def _any(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return _truth(run, args, True)


def _all(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return _truth(run, args, False)


def _truth(run: Run, args: Sequence[Value], wanted: bool) -> Value:
    """Models `any` (`wanted` is True) and `all` (False), if the elements are tests, by the guards of these tests."""
    elements: list[Value] = []
    if args and isinstance(args[0], iterators.Iteration):
        elements = args[0].all()[1]
    elif args and isinstance(args[0], Sequence_):
        elements = run.elements(args[0])
    if not elements and args and concrete.contents(run, args[0]) is not None:
        return Constant(not wanted)
    atoms = [atom for element in elements for _, atom in alternatives(element)]
    if not atoms or not all(isinstance(atom, (Test, Constant)) for atom in atoms):
        return external_modules.result_of(run, args, {})
    met, unmet = NEVER, ALWAYS
    for element in elements:
        true, false = run.split(element)
        met = either(met, true if wanted else false)
        unmet = both(unmet, false if wanted else true)
    return join([(guard, Constant(value)) for guard, value in ((met, wanted), (unmet, not wanted)) if guard])


#: Builtins that return no tensor unless they were given one.
_NUMERIC = frozenset("builtins.max builtins.min builtins.abs builtins.round builtins.pow".split())
_SCALARS = frozenset(
    f"builtins.{name}"
    for name in "int float str bool repr id hash hasattr issubclass type any all ord chr open format "
    "divmod bytes complex dir vars input slice object Exception".split()
)


#: What makes a number of a tensor of one element.
_CONVERSIONS = frozenset({"builtins.int", "builtins.float"})
_TEXTS = frozenset("builtins.str builtins.repr builtins.chr builtins.format".split())


def other(run: Run, dotted: str, args: Sequence[Value]) -> Value:
    """Models a builtin without an intrinsic: returns a number, a string, or an unknown value made of the arguments."""
    held = contents.of(run, args[0]) if args and dotted in _CONVERSIONS else None
    if held is not None:
        return held
    if dotted in _SCALARS:
        return run.scalar((dotted, *args), Text if dotted in _TEXTS else Scalar) if args else Scalar()
    if dotted in _NUMERIC:
        if all(isinstance(a, (Scalar, Constant)) for a in args):
            return run.scalar((dotted, *args))
        return external_modules.result_of(run, args, {})
    result = external_modules.result_of(run, args, {})
    result.alone = False  # `globals()` returns values that existed before
    return result


INTRINSICS: dict[str, Play] = {
    **functional.INTRINSICS,
    **collection_types.INTRINSICS,
    "builtins.any": _any,
    "builtins.all": _all,
    "builtins.bool": lambda run, args, kwargs, at: (
        run.negated(run.negated(run.field(args[0]), at), at) if args else Constant(False)
    ),
    "builtins.isinstance": lambda run, args, kwargs, at: instances.is_instance(run, [*map(run.field, args)]),
    "builtins.issubclass": lambda run, args, kwargs, at: instances.is_subclass(run, args),
    "builtins.type": lambda run, args, kwargs, at: instances.type_of(run, args),
    "builtins.callable": lambda run, args, kwargs, at: instances.is_callable(run, args),
    "inspect.isfunction": lambda run, args, kwargs, at: instances.is_function(run, args),
    "inspect.isclass": lambda run, args, kwargs, at: instances.is_class(run, args),
    "builtins.len": lambda run, args, kwargs, at: _len(run, [*map(run.field, args)], kwargs, at),
    "builtins.range": _range,
    "builtins.max": _extreme("builtins.max"),
    "builtins.min": _extreme("builtins.min"),
    "builtins.iter": _iter,
    "builtins.next": _next,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.object.__setattr__": _setattr,
    "builtins.object.__getattribute__": _getattr,
    "builtins.object.__new__": lambda run, args, kwargs, at: classes.instance_of(run, args),
    "builtins.delattr": _delattr,
    "builtins.hasattr": _hasattr,
    "builtins.vars": _vars,
    "builtins.globals": _globals,
    "builtins.slice": lambda run, args, kwargs, at: Slice(
        [NONE, *args, NONE] if len(args) == 1 else [*args, NONE][:3]
    ),
    "builtins.super": _super,
    "builtins.print": _print,
    **{
        f"builtins.{name}": _descriptor(f"builtins.{name}")
        for name in ("staticmethod", "classmethod", "property")
    },
    "types.SimpleNamespace": records.namespace,
    "argparse.ArgumentParser": parsers.parser,
    "copy.deepcopy": _deepcopy,
    "typing.cast": lambda run, args, kwargs, at: args[1] if len(args) == 2 else Unknown(),
    "types.MethodType": lambda run, args, kwargs, at: Bound(args[0], list(args[1:]), {}),
    "weakref.proxy": lambda run, args, kwargs, at: args[0] if args else Unknown(),
    "weakref.ref": lambda run, args, kwargs, at: Native(lambda *_: args[0] if args else Unknown()),
    **data_classes.INTRINSICS,
    **contexts.INTRINSICS,
    "enum.auto": lambda run, args, kwargs, at: Symbol(enums.AUTO),
}
