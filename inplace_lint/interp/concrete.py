"""Runs Python's own functions and methods on values that are known exactly, so that each does what Python does.

A list whose elements are known becomes a Python list whose elements are constants or handles of other values. What a
method makes of it (`c.rotate(1)`, `a - b`, `sorted(c, key=f)`, `"relu" in names`) becomes a value again.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import os.path
import re
from collections import Counter, deque
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import containers, exceptions, iterators, mappings
from .frames import LENGTH
from .handles import Handle
from .iterators import Iteration
from .ordered import OrderedDict, OrderedSet, Undecided
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Mapping_,
    Native,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run
    from .slices import Slice

#: Containers with more elements than this are not followed element by element.
_MOST = 64
#: Longer strings, and larger numbers, are not kept as constants.
LONGEST = 200
_LARGEST = 1 << 40
#: What a call of Python's own code may raise here; the program would raise it too, or what was given is not known.
_ERRORS = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, MemoryError)


class Row(tuple[Any, ...]):
    """A tuple of which all elements are known; `source` is the value it stands for."""

    source: Sequence_


class Listed(list[Any]):
    """A list within another container, of which all elements are known; `source` is the value it stands for."""

    source: Sequence_


#: Lists nested deeper are not compared by their elements; one may contain itself.
_NESTED = 3


def python_of(run: Run, value: Value, depth: int = _NESTED) -> Any:
    """A constant as itself, a tuple as a `Row`, a list as `Listed`, any other value as a `Handle`."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Sequence_) and value.kind in ("tuple", "list") and depth:
        known = containers.items(run, value)
        if known is not None and len(known) <= _MOST:
            made: Row | Listed = (Row if value.kind == "tuple" else Listed)(
                python_of(run, element, depth - 1) for element in known
            )
            made.source = value
            return made
    return Handle(value)


def contents(run: Run, value: Value) -> Any:
    """The Python container with the elements of a value, or a constant string; None if they are not all known."""
    if isinstance(value, Constant):
        return value.value if isinstance(value.value, (str, tuple)) else None
    if isinstance(value, Mapping_):
        names = mappings.names(run, value)
        if names is None or len(names) > _MOST:
            return None
        held = [mappings.get_key(run, value, name) for name in names]
        made = OrderedDict((python_of(run, name), python_of(run, one)) for name, one in zip(names, held))
        return Counter(made) if value.kind == "Counter" else made
    elements: list[Value] | None
    if isinstance(value, Iteration):
        exact, elements = value.all()
        elements = elements if exact else None
    else:
        elements = containers.items(run, value)
    if elements is None or len(elements) > _MOST:
        return None
    each = [python_of(run, element) for element in elements]
    if not isinstance(value, Sequence_):
        return each
    try:
        return deque(each, value.longest) if value.kind == "deque" else _KINDS.get(value.kind, list)(each)
    except (Undecided, TypeError):
        return None


_KINDS: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": OrderedSet}


def value_of(run: Run, made: Any) -> Value:
    """The value of what Python's code made."""
    if isinstance(made, Handle):
        return made.value
    if isinstance(made, (Row, Listed)):
        return made.source
    if isinstance(made, (str, bytes)) and len(made) > LONGEST:
        return Scalar()
    if made is None or isinstance(made, (str, bytes, bool, int, float, complex, re.Pattern, re.Match)):
        return Constant(made)
    if isinstance(made, dict):
        mapping = Mapping_("Counter" if isinstance(made, Counter) else "dict")
        mapping.factory = Symbol("builtins.int") if isinstance(made, Counter) else None
        run.born[mapping] = run.inexact
        rewrite(run, mapping, made)
        return mapping
    if hasattr(made, "__next__"):
        first = [value_of(run, one) for one in islice(made, _MOST + 1)]
        if len(first) > _MOST and not isinstance(made, itertools.cycle):
            return iterators.of(False, first[:_MOST])
        return containers.make(run, "iterator", first[:_MOST])
    if isinstance(made, (list, tuple, OrderedSet, deque)):
        kind = next((name for name, types in _MADE.items() if isinstance(made, types)), "list")
        value = containers.make(run, kind, [value_of(run, one) for one in made])
        if isinstance(made, deque) and isinstance(value, Sequence_):
            value.longest = made.maxlen
        return value
    return Unknown()


_MADE = {"tuple": tuple, "set": OrderedSet, "deque": deque}


def rewrite(run: Run, container: Sequence_ | Mapping_, held: Any) -> None:
    """Gives a container on this path the elements of a Python container."""
    if isinstance(container, Mapping_):
        containers.clear(run, container)
        for key, one in held.items():
            mappings.put_key(run, container, value_of(run, key), value_of(run, one))
        return
    for number, one in enumerate(held):
        run.put(container, number, value_of(run, one))
    containers.forget_ends(run, container)
    run.state.slots[(container, LENGTH)] = Constant(len(held))


def call(
    run: Run,
    function: Callable[..., Any],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    opened: bool = True,
) -> Any:
    """What Python's `function` gives for these arguments; raises `Undecided` if it cannot be told.

    `opened`: an argument that is a container is given by its elements; else it is one object, as for `list.append`.
    """
    given = [
        _key(run, value, at) if isinstance(value, _FUNCTIONS) else _argument(run, value, opened)
        for value in args
    ]
    named = {
        name: _key(run, value, at) if name == "key" else _argument(run, value, opened)
        for name, value in kwargs.items()
    }
    try:
        return function(*given, **named)
    except _ERRORS as error:
        raise Undecided from error


#: Values that Python's code may call.
_FUNCTIONS = (FunctionValue, Bound, Native)


def _argument(run: Run, value: Value, opened: bool) -> Any:
    if isinstance(value, Constant):
        if isinstance(value.value, int) and abs(value.value) > _LARGEST:
            raise Undecided
        if isinstance(value.value, (str, bytes, tuple)) and len(value.value) > LONGEST:
            raise Undecided
        return value.value
    if opened and isinstance(value, (Sequence_, Mapping_, Iteration)):
        known = contents(run, value)
        if known is None:
            raise Undecided
        return known
    if isinstance(value, (Scalar, Unknown, Phi, Parameters)) and opened:
        raise Undecided
    return python_of(run, value)


def _key(run: Run, function: Value, at: ast.AST) -> Callable[[Any], Any] | None:
    """A `key=` function, called by the interpreter."""
    if isinstance(function, Constant):
        return None

    def key(element: Any) -> Any:
        found = run.settled(run.call(function, [value_of(run, element)], {}, at))
        if isinstance(found, (Scalar, Unknown, Phi, Tensor)):
            raise Undecided
        return python_of(run, found)

    return key


#: Methods that only look, and methods that change their container, of which those with a `True` open their arguments.
_LOOKS = {
    "list": {"index": False, "count": False, "copy": False},
    "deque": {"index": False, "count": False, "copy": False},
    "tuple": {"index": False, "count": False},
    "set": dict.fromkeys(
        "union intersection difference symmetric_difference issubset issuperset isdisjoint copy".split(), True
    ),
    "dict": {"copy": False},
    "Counter": {"copy": False, "elements": False, "most_common": False, "total": False},
}
_CHANGES = {
    "list": {"remove": False, "reverse": False, "sort": False},
    "deque": {"remove": False, "reverse": False, "rotate": False, "extendleft": True},
    "set": {
        **dict.fromkeys("discard remove pop".split(), False),
        **dict.fromkeys(
            "update difference_update intersection_update symmetric_difference_update".split(), True
        ),
    },
    "dict": {"popitem": False, "move_to_end": False},
    "Counter": {"update": True, "subtract": True},
}


def method(
    run: Run,
    obj: Sequence_ | Mapping_,
    name: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
) -> Value | None:
    """`obj.name(…)`, run by Python; None if the container is not known exactly, or it is not one of these methods."""
    looks = _LOOKS.get(obj.kind, {}).get(name)
    opened = _CHANGES.get(obj.kind, {}).get(name) if looks is None else looks
    if opened is None or (looks is None and is_sampled(run, obj)):
        return None
    held = contents(run, obj)
    if held is None:
        return None
    try:
        result = call(run, getattr(held, name), args, kwargs, at, opened)
    except Undecided:
        return None
    if looks is None:
        rewrite(run, obj, held)
    return value_of(run, result)


def has(obj: Sequence_ | Mapping_, name: str) -> bool:
    """Whether `method` may run a method of this name on a container of this kind."""
    return name in _LOOKS.get(obj.kind, {}) or name in _CHANGES.get(obj.kind, {})


def put_slice(run: Run, obj: Sequence_, index: Slice, value: Value | None) -> bool:
    """`obj[a:b] = value`, or `del obj[a:b]` if that is None; False if not all that it depends on is known."""
    bounds = [part.value for part in index.parts if isinstance(part, Constant)]
    held, given = contents(run, obj), [] if value is None else contents(run, value)
    if held is None or given is None or len(bounds) < 3 or is_sampled(run, obj):
        return False
    try:
        if value is None:
            del held[slice(*bounds)]
        else:
            held[slice(*bounds)] = given
    except _ERRORS:
        return False
    rewrite(run, obj, held)
    return True


def is_sampled(run: Run, container: Value) -> bool:
    """Whether a container made before a loop is used in one of which only some rounds are run."""
    return run.inexact > run.born.get(container, 0)


#: What makes a match try several ways: repetitions, of which each counts as three alternatives, and alternatives.
_REPETITION, _WAYS = re.compile(r"(?<!\()[*+?{]\??"), 9
#: A pattern that repeats a group may take exponentially long.
_REPEATED_GROUP = re.compile(r"\)[*+{]")


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `re` that refuses patterns which may take long to match."""

    def checked(pattern: Any, *args: Any) -> Any:
        text = getattr(pattern, "pattern", pattern)
        ways = 3 * len(_REPETITION.findall(text)) + text.count("|")
        if ways > _WAYS or _REPEATED_GROUP.search(text):
            raise Undecided
        return function(pattern, *args)

    return checked


FOLDED: dict[str, Callable[..., Any]] = {
    **{
        f"builtins.{one.__name__}": one
        for one in (int, float, bool, abs, min, max, divmod, ord, chr, str, repr)
    },
    "builtins.round": lambda number, digits=None: (
        round(number) if digits is None else round(float(number), digits)
    ),
    "builtins.pow": lambda base, power: (
        math.pow(base, power) if abs(base) > 10 or abs(power) > 10 else base**power
    ),
    **{
        f"math.{name}": getattr(math, name)
        for name in "ceil copysign exp fabs floor fmod gcd isclose isfinite isinf isnan isqrt log log10 log2 pow "
        "sqrt trunc cos sin tan".split()
    },
    **{
        f"itertools.{name}": getattr(itertools, name)
        for name in "combinations compress dropwhile filterfalse permutations product takewhile zip_longest cycle "
        "combinations_with_replacement tee".split()
    },
    "collections.Counter": Counter,
    **{
        f"re.{name}": _checked(getattr(re, name))
        for name in "compile findall fullmatch match search split sub".split()
    },
    "itertools.groupby": lambda values, key=None: [(k, [*v]) for k, v in itertools.groupby(values, key)],
    "bisect.bisect": bisect.bisect,
    "bisect.bisect_left": bisect.bisect_left,
    "bisect.bisect_right": bisect.bisect_right,
    "math.prod": math.prod,
    "itertools.pairwise": lambda values: iter([*zip(values, [*values][1:])]),
    "heapq.nlargest": heapq.nlargest,
    "heapq.nsmallest": heapq.nsmallest,
    **{
        f"os.path.{name}": getattr(os.path, name)
        for name in "basename dirname isabs join split splitext".split()
    },
}


#: Functions that change the list that they are given first.
_REWRITE: dict[str, Callable[..., Any]] = {
    **{
        f"heapq.{one.__name__}": one
        for one in (heapq.heapify, heapq.heappop, heapq.heappush, heapq.heappushpop)
    },
    "bisect.insort": bisect.insort,
}


def rewritten(
    run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value | None:
    """`heapq.heappush(queue, item)` and its kin, for a list that is known; None if it is not, or for others."""
    function = _REWRITE.get(dotted)
    target = args[0] if function is not None and args else None
    if function is None or not isinstance(target, Sequence_) or is_sampled(run, target):
        return None
    held = contents(run, target)
    if not isinstance(held, list):
        return None
    try:
        result = call(run, partial(function, held), args[1:], kwargs, at, opened=False)
    except Undecided:
        containers.forget_ends(run, target)
        run.state.slots[(target, LENGTH)] = Unknown()
        return containers.any_element(run, target)
    rewrite(run, target, held)
    return value_of(run, result)


#: Types whose call without arguments gives their empty value.
_EMPTY = frozenset("builtins.int builtins.float builtins.bool builtins.str collections.Counter".split())


def _is_large(value: Value) -> bool:
    """Whether it is a number for which `product(x, repeat=n)` or `tee(x, n)` would take much memory."""
    return isinstance(value, Constant) and isinstance(value.value, int) and value.value > _MOST


def fold(
    run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value | None:
    """The value of a pure function of Python for arguments that are known; None if they are not, or it is another."""
    function = FOLDED.get(dotted)
    if function is None or not (args or dotted in _EMPTY):
        return None
    if dotted.startswith("itertools.") and any(_is_large(one) for one in (*args, *kwargs.values())):
        return None
    try:
        return value_of(run, call(run, function, args, kwargs, at))
    except Undecided as undecided:
        if isinstance(undecided.__cause__, (ValueError, ZeroDivisionError)):
            exceptions.throw_builtin(run, type(undecided.__cause__).__name__)
        return None
