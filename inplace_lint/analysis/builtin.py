"""Names with a meaning of Python's: its builtins, and the few functions of its library that hand tensors on."""

from __future__ import annotations

from . import calls, containers, iteration, operators, symbols
from .guards import ALWAYS, both, either
from .run import LENGTH
from .values import (
    Bound,
    ClassValue,
    Constant,
    Instance,
    Mapping_,
    Optimizer,
    Parameters,
    Scalar,
    Sequence_,
    Super,
    Symbol,
    Tensor,
    Test,
    Unknown,
    Value,
    alternatives,
    join,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .guards import Guard
    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]

NONE = Constant(None)


def is_tensor(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.is_tensor(x), isinstance(x, torch.Tensor)."""
    if args and isinstance(args[0], Tensor) and args[0].storage.proved:
        return Constant(True)
    if args and isinstance(args[0], (Constant, Scalar, Sequence_, Mapping_)):
        return Constant(False)
    return run.test(("isinstance", args[0] if args else None, "torch.Tensor"))


def _isinstance(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) != 2:
        return Scalar()
    obj, kind = args
    if not isinstance(kind, Sequence_) or kind.kind != "tuple":
        return _is_a(run, obj, kind, at)
    answers = [_is_a(run, obj, one, at) for one in run.elements(kind)]
    told = [answer.value for answer in answers if isinstance(answer, Constant)]
    if any(told) or len(told) == len(answers):
        return Constant(any(told))
    return run.test(("isinstance", obj, kind))


def _is_a(run: Run, obj: Value, kind: Value, at: ast.AST) -> Value:
    dotted = kind.dotted if isinstance(kind, Symbol) else ""
    if dotted == "torch.Tensor":
        return is_tensor(run, [obj], {}, at)
    if isinstance(kind, ClassValue) and isinstance(obj, Instance):
        return Constant(kind in obj.cls.order())
    name = dotted.rpartition(".")[2]
    if dotted.startswith("builtins."):
        if isinstance(obj, Tensor) and obj.storage.proved:
            return Constant(False)
        if isinstance(obj, Sequence_):
            return Constant(name == obj.kind)
        if isinstance(obj, Constant) and name in _BUILTIN_TYPES:
            return Constant(isinstance(obj.value, _BUILTIN_TYPES[name]))
    collection = dotted.startswith("collections.abc.") or name in _BUILTIN_TYPES
    if collection and name not in _NUMBERS and _is_number(obj):
        return Constant(False)
    return run.test(("isinstance", obj, dotted or kind))


def _is_number(value: Value) -> bool:
    if isinstance(value, Constant):
        return value.value is None or isinstance(value.value, (int, float))
    return isinstance(value, Scalar) and value.number


#: What a number may be an instance of.
_NUMBERS = frozenset("int float complex bool Hashable".split())

_BUILTIN_TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, slice)
}


def _len(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    count = containers.length(run, args[0]) if args else None
    if count is not None:
        return Constant(count)
    return run.scalar(("len", args[0] if args else None))


def _range(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    plain = [a.value for a in args if isinstance(a, Constant) and isinstance(a.value, int)]
    if args and len(plain) == len(args) <= 3 and (len(plain) < 3 or plain[2] != 0):
        numbers = range(*plain)
        if len(numbers) <= iteration.UNROLL:
            return iteration.Iteration(True, [Constant(n) for n in numbers])
    bound = args[1] if len(args) > 1 else args[0] if args else Unknown()
    first, last = Scalar(), Scalar()
    if len(args) < 3:
        first.bound = last.bound = bound
        last.last = True
    elif all(isinstance(a, Constant) and a.value == -1 for a in args[1:]):
        return iteration.falling()
    return iteration.Iteration(False, [first, last], len(args) == 1)


def _enumerate(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args:
        return Unknown()
    exact, elements = iteration.iterate(run, args[0], at)
    pairs: list[Value] = []
    for i, element in enumerate(elements):
        number: Value = Constant(i)
        if not exact:
            counter = Scalar()
            counter.bound = _len(run, args[:1], {}, at)
            counter.last = i == len(elements) - 1
            number = counter
        if len(args) > 1 or "start" in kwargs:
            number = Scalar()
        pairs.append(containers.make(run, "tuple", [number, element]))
    return iteration.Iteration(exact, pairs)


def _zip(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    columns = [iteration.iterate(run, a, at) for a in args]
    if not columns:
        return Unknown()
    exact = all(column[0] for column in columns)
    count = min(len(column[1]) for column in columns)
    rows: list[Value] = [
        containers.make(run, "tuple", [column[1][i] for column in columns]) for i in range(count)
    ]
    return iteration.Iteration(exact, rows)


def _repeat(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """itertools.repeat(value, times): as often as is told, else as a loop is run."""
    if not args:
        return Unknown()
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if isinstance(times, Constant) and isinstance(times.value, int) and times.value <= _REPEATED:
        return iteration.Iteration(True, [args[0]] * times.value)
    return iteration.Iteration(False, [args[0]] * 2)


def _reversed(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args:
        return Unknown()
    if isinstance(args[0], iteration.Iteration):
        return args[0].backwards()
    return iteration.Iteration(*iteration.iterate(run, args[0], at)).backwards()


def _list(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args:
        return containers.make(run, "list", [])
    value = args[0]
    if isinstance(value, (Parameters, Optimizer)):
        return value
    known = containers.names(run, value) if isinstance(value, Mapping_) else containers.items(run, value)
    if known is None and isinstance(value, iteration.Iteration) and value.exact:
        known = value.elements
    if known is not None:
        return containers.make(run, "list", known)
    made = containers.make(run, "list", [])
    run.state.slots[(made, LENGTH)] = Unknown()
    if isinstance(made, Sequence_):
        elements = run.elements(value) if isinstance(value, Sequence_) else []
        if isinstance(value, Mapping_):
            elements = [Scalar()]
        if isinstance(value, iteration.Iteration):
            elements = value.elements
        if isinstance(value, (Tensor, Unknown)):
            elements = [iteration.iterate(run, value, at)[1][0]]
        for element in elements:
            containers.smear(run, made, element)
    return made


def _dict(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    made = Mapping_()
    run.born[made] = run.inexact
    for value in args:
        if isinstance(value, (Sequence_, iteration.Iteration)):
            for pair in containers.items(run, value) or iteration.iterate(run, value, at)[1]:
                containers.put_key(run, made, *iteration.unpack(run, pair, 2, -1, at))
        else:
            containers.update(run, made, value)
    for name, value in kwargs.items():
        run.put(made, ("key", name), value)
    return made


def _sum(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """sum(tensors): a chain of additions."""
    if not args:
        return Unknown()
    _, elements = iteration.iterate(run, args[0], at)
    total: Value | None = args[1] if len(args) > 1 else None
    for element in elements:
        total = element if total is None else operators.binary(run, "+", total, element, at)
    return Constant(0) if total is None else total


def _getattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    from . import attributes

    if len(args) >= 2 and isinstance(args[1], Constant) and isinstance(args[1].value, str):
        return attributes.get(run, args[0], args[1].value, at)
    return Unknown()


def _setattr(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    from . import attributes

    if len(args) == 3 and isinstance(args[1], Constant) and isinstance(args[1].value, str):
        attributes.assign(run, args[0], args[1].value, args[2], at)
    return NONE


def _super(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    cls, function = run.frame.cls, run.frame.function
    if cls is None or function is None or not function.parameters:
        return Unknown()
    receiver = run.state.get((run.frame.uid, function.parameters[0].arg))
    return Super(cls, Unknown() if receiver is None else receiver)


def _partial(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return Bound(args[0], list(args[1:]), dict(kwargs)) if args else Unknown()


def _map(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) < 2:
        return Unknown()
    exact, elements = iteration.iterate(run, args[1], at)
    return iteration.Iteration(exact, [calls.call(run, args[0], [e], {}, at) for e in elements])


def _print(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return NONE


def _deepcopy(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    from .copies import deepcopy

    return deepcopy(run, args[0], at) if args else Unknown()


#: What is repeated more often than this is not followed one by one.
_REPEATED = 8


def _any(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return _truth(run, args, True)


def _all(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return _truth(run, args, False)


def _truth(run: Run, args: Sequence[Value], wanted: bool) -> Value:
    """Whether one element is true (`wanted`), or whether none is false: by the tests that the elements are."""
    elements = run.elements(args[0]) if args and isinstance(args[0], Sequence_) else []
    atoms = [atom for element in elements for _, atom in alternatives(element)]
    if not atoms or not all(isinstance(atom, (Test, Constant)) for atom in atoms):
        return symbols.unknown(run, args, {})
    met: Guard = ()
    unmet: Guard = ALWAYS
    for element in elements:
        true, false = run.split(element)
        met = either(met, true if wanted else false)
        unmet = both(unmet, false if wanted else true)
    return join([(guard, Constant(value)) for guard, value in ((met, wanted), (unmet, not wanted)) if guard])


#: Builtins that return no tensor unless they were given one.
_NUMERIC = frozenset("builtins.max builtins.min builtins.abs builtins.round builtins.pow".split())
_SCALARS = frozenset(
    f"builtins.{name}"
    for name in "int float str bool repr id hash hasattr callable issubclass type any all ord chr open format "
    "divmod bytes complex dir vars input slice object Exception".split()
)


def other(run: Run, dotted: str, args: Sequence[Value]) -> Value:
    """A builtin that is not played."""
    if dotted in _SCALARS:
        return run.scalar((dotted, *args)) if args else Scalar()
    if dotted in _NUMERIC:
        if all(isinstance(a, (Scalar, Constant)) for a in args):
            return run.scalar((dotted, *args))
        return symbols.unknown(run, args, {})
    return symbols.unknown(run, args, {})


PLAYS: dict[str, Play] = {
    "builtins.any": _any,
    "builtins.all": _all,
    "builtins.isinstance": _isinstance,
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "itertools.repeat": _repeat,
    "builtins.reversed": _reversed,
    "builtins.list": _list,
    "builtins.tuple": _list,
    "builtins.set": _list,
    "builtins.sorted": _list,
    "builtins.iter": _list,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": lambda run, args, kwargs, at: _dict(run, [], {}, at),
    "builtins.sum": _sum,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.super": _super,
    "builtins.map": _map,
    "builtins.print": _print,
    "functools.partial": _partial,
    "copy.deepcopy": _deepcopy,
}
