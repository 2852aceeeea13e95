"""Models Python's builtins (`len`, `list`, `getattr`, `super`) and the few library functions that pass tensors on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    attributes,
    classes,
    containers,
    dynamic_names,
    external_modules,
    functional,
    grad_evidence,
    instances,
    iteration,
    iterators,
    protocols,
    records,
)
from .frames import LENGTH
from .guards import ALWAYS, NEVER, both, either
from .joins import join
from .values import (
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Optimizer,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    Text,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .guards import Guard
    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]

NONE = Constant(None)


def _len(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    count = containers.length(run, args[0]) if args else None
    if count is not None:
        return Constant(count)
    return run.scalar(("len", args[0] if args else None))


def _range(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
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
        if len(args) == 1 or (isinstance(args[0], Constant) and args[0].value == 0):
            iterators.rise([first, last])
    elif all(isinstance(a, Constant) and a.value == -1 for a in args[1:]):
        return iterators.falling()
    return iterators.of(False, [first, last], len(args) == 1)


def _deque(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """A deque is modelled as a list. With `maxlen` elements drop out at the left, so their positions are unknown."""
    if len(args) < 2 and "maxlen" not in kwargs:
        return _list(run, args or [*kwargs.values()], {}, at)
    held = run.elements(given) if args and isinstance(given := args[0], Sequence_) else []
    return containers.make(run, "list", held, exact=False)


def _list(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args:
        return containers.make(run, "list", [])
    value = protocols.iterator(run, args[0], at)
    if isinstance(value, Optimizer):
        return value
    if isinstance(value, Parameters):
        return containers.make(run, "list", [value], exact=False)
    known = containers.names(run, value) if isinstance(value, Mapping_) else containers.spread(run, value)
    if known is not None:
        return containers.make(run, "list", known)
    if isinstance(value, iterators.Iteration) or containers.parts_of(run, value) is not None:
        return containers.make_of_parts(run, "list", [(True, value)])
    made = containers.make(run, "list", [])
    run.state.slots[(made, LENGTH)] = Unknown()
    if isinstance(made, Sequence_):
        elements = run.elements(value) if isinstance(value, Sequence_) else []
        if isinstance(value, Mapping_):
            elements = [Scalar()]
        if isinstance(value, (Tensor, Unknown)):
            elements = [iteration.iterate(run, value, at)[1][0]]
        for element in elements:
            containers.smear(run, made, element)
    return made


def _iter(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) != 1:
        return Unknown()
    value = protocols.iterator(run, args[0], at)
    return value if isinstance(value, iterators.Iteration) else _list(run, [value], {}, at)


def _next(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    drawn = [(guard, protocols.next_of(run, atom, at)) for guard, atom in run.live(args[0])] if args else []
    if not drawn or all(isinstance(value, Unknown) for _, value in drawn):
        return external_modules.result_of(run, args, {})
    return join(drawn)


def of_each(run: Run, value: Phi, made: Callable[[Value], Value]) -> Value | None:
    """Applies `made` to each container that `value` may be, on its own path; None if an alternative is no container."""
    live = run.live(value)
    if not live or not all(isinstance(atom, (Sequence_, Mapping_)) for _, atom in live):
        return None
    path = run.path
    results: list[tuple[Guard, Value]] = []
    for guard, atom in live:
        run.path = guard
        results.append((guard, made(atom)))
    run.path = path
    return join(results)


def _dict(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) == 1 and isinstance(args[0], Phi):
        each = of_each(run, args[0], lambda one: _dict(run, [one], kwargs, at))
        if each is not None:
            return each
    made = Mapping_()
    run.born[made] = run.inexact
    for value in args:
        if isinstance(value, (Sequence_, iterators.Iteration)):
            for pair in containers.spread(run, value) or iteration.iterate(run, value, at)[1]:
                containers.put_key(run, made, *iteration.unpack(run, pair, 2, -1, at))
        else:
            containers.update(run, made, value)
    for name, value in kwargs.items():
        run.put(made, ("key", name), value)
    return made


def _getattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:

    if len(args) >= 2 and isinstance(args[1], Constant) and isinstance(args[1].value, str):
        return run.attribute(args[0], args[1].value, at)
    if len(args) < 2:
        return Unknown()
    known = dynamic_names.by_default(run, args[1], at, lambda name: run.attribute(args[0], name, at))
    if known is None and isinstance(args[0], Instance):
        known = dynamic_names.attribute(run, args[0], getattr(at, "args", [None, None])[1])
    return Unknown() if known is None else known


def _setattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:

    if len(args) == 3 and isinstance(args[1], Constant) and isinstance(args[1].value, str):
        attributes.assign(run, args[0], args[1].value, args[2], at)
    elif len(args) == 3 and isinstance(args[0], Instance):
        dynamic_names.register(run, args[0], args[2])
    return NONE


def _super(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    cls, function = run.frame.cls, run.frame.function
    if cls is None or function is None or not function.parameters:
        return Unknown()
    receiver = run.state.get((run.frame.uid, function.parameters[0].arg))
    return classes.Super(cls, Unknown() if receiver is None else receiver)


def _descriptor(name: str) -> Play:
    """Models `staticmethod(function)` and its kin, called instead of written as a decorator."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        function = args[0] if args else Unknown()
        if not isinstance(function, FunctionValue):
            return Unknown()
        made = FunctionValue(function.source, function.frame)
        made.cls, made.defaults = function.cls, function.defaults
        made.decorated = [*(function.decorated or ()), Symbol(name)]
        return made

    return play


def _named_tuple(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`collections.namedtuple("Name", ["field", …])`: a constructor of tuples whose elements have names."""
    told = args[1] if len(args) > 1 else kwargs.get("field_names")
    listed = [told] if isinstance(told, Constant) else None if told is None else containers.items(run, told)
    words = [one.value for one in listed or () if isinstance(one, Constant) and isinstance(one.value, str)]
    if not words or len(words) != len(listed or ()):
        return Unknown()
    fields = words[0].replace(",", " ").split() if isinstance(told, Constant) else words

    def made(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if len(args) + len(kwargs) == len(fields):
            return records.record(run, fields, args, kwargs)
        spread, run.entering.spread = run.entering.spread, None
        return run.call_unknown(Unknown(), [*args, *([] if spread is None else [spread])], kwargs, at)

    return Native(made, exact=True)


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


_TEXTS = frozenset("builtins.str builtins.repr builtins.chr builtins.format".split())


def other(run: Run, dotted: str, args: Sequence[Value]) -> Value:
    """Models a builtin without an intrinsic: returns a number, a string, or an unknown value made of the arguments."""
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
    "builtins.any": _any,
    "builtins.all": _all,
    "builtins.isinstance": lambda run, args, kwargs, at: instances.is_instance(run, args),
    "builtins.issubclass": lambda run, args, kwargs, at: instances.is_subclass(run, args),
    "builtins.type": lambda run, args, kwargs, at: instances.type_of(run, args),
    "builtins.callable": lambda run, args, kwargs, at: instances.is_callable(run, args),
    "inspect.isfunction": lambda run, args, kwargs, at: instances.is_function(run, args),
    "inspect.isclass": lambda run, args, kwargs, at: instances.is_class(run, args),
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.list": _list,
    "builtins.tuple": _list,
    "builtins.set": _list,
    "builtins.sorted": _list,
    "builtins.iter": _iter,
    "builtins.next": _next,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.deque": _deque,
    "collections.defaultdict": lambda run, args, kwargs, at: _dict(run, [], {}, at),
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.super": _super,
    "builtins.print": _print,
    **{
        f"builtins.{name}": _descriptor(f"builtins.{name}")
        for name in ("staticmethod", "classmethod", "property")
    },
    "collections.namedtuple": _named_tuple,
    "types.SimpleNamespace": records.namespace,
    "copy.deepcopy": _deepcopy,
}
