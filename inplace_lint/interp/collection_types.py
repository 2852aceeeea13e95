"""Models the constructors of Python's containers: `list`, `set`, `dict`, `sorted`, and those of `collections`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    concrete,
    containers,
    external_modules,
    inherited,
    iteration,
    iterators,
    mappings,
    places,
    protocols,
    records,
    weights,
)
from .frames import FIRST, LENGTH
from .joins import join
from .values import (
    Constant,
    Mapping_,
    Native,
    Optimizer,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .guards import Guard
    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]

NONE = Constant(None)


def _deque(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """With an unknown `maxlen` elements may drop out at either end, so their positions are unknown."""
    given = args[0] if args else kwargs.get("iterable")
    longest = args[1] if len(args) > 1 else kwargs.get("maxlen", NONE)
    made = collected(run, "deque", [] if given is None else [given], at)
    if not isinstance(made, Sequence_) or longest is NONE:
        return made
    if not isinstance(longest, Constant) or containers.length(run, made) is None:
        return containers.make(run, "deque", run.elements(made), exact=False)
    if isinstance(longest.value, int) and longest.value >= 0:
        made.longest = longest.value
        concrete.rewrite(run, made, concrete.contents(run, made) or ())
    return made


def _collection(kind: str) -> Play:
    """`list(values)`, `tuple(values)`, `set(values)`."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return collected(run, kind, args, at)

    return play


def collected(run: Run, kind: str, args: Sequence[Value], at: ast.AST) -> Value:
    """A container of this kind with the elements of the first argument, as `deque(x)`; a set holds each once."""
    made = _list(run, args, {}, at)
    if isinstance(made, Sequence_) and made.kind == "list":
        made.kind = kind
        if kind == "set":
            held = concrete.contents(run, made)
            if held is not None:
                concrete.rewrite(run, made, held)
    return made


def _list(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args:
        return containers.make(run, "list", [])
    value = protocols.iterator(run, args[0], at)
    if isinstance(value, Optimizer):
        return value
    if isinstance(value, Parameters):
        made = containers.make(run, "list", [value], exact=False)
        run.state.slots[(made, FIRST)] = weights.first_of(run, value) or value
        return made
    known = mappings.names(run, value) if isinstance(value, Mapping_) else containers.spread(run, value)
    if known is not None:
        return containers.make(run, "list", known)
    if isinstance(value, iterators.Iteration) or containers.parts_of(run, value) is not None:
        return containers.make_of_parts(run, "list", [(True, value)])
    made = containers.make(run, "list", [])
    run.several.drawn_from[made] = value
    run.state.slots[(made, LENGTH)] = Unknown()
    if isinstance(made, Sequence_):
        elements = run.elements(value) if isinstance(value, Sequence_) else []
        if isinstance(value, Mapping_):
            elements = [Scalar()]
        if isinstance(value, (Tensor, Unknown)):
            elements = [iteration.iterate(run, value, at)[1][0]]
        for element in elements:
            containers.smear(run, made, element)
        places.follow(run, made, value, value)
    return made


def _sorted(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """sorted(values, key=…): in the order that Python gives them; in none if keys are not known."""
    made = _list(run, args[:1], {}, at)
    if not isinstance(made, Sequence_) or containers.length(run, made) in (None, 0, 1):
        if isinstance(made, Sequence_):
            places.forget(run, made)
        return made
    if concrete.method(run, made, "sort", args[1:], kwargs, at) is None:
        return containers.make(run, "list", run.elements(made), exact=False)
    return made


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
    run.state.slots[(made, LENGTH)] = Constant(0)
    for value in args:
        if isinstance(value, (Sequence_, iterators.Iteration)):
            for pair in containers.spread(run, value) or iteration.iterate(run, value, at)[1]:
                mappings.put_key(run, made, *iteration.unpack(run, pair, 2, -1, at))
        else:
            mappings.update(run, made, value)
    for name, value in kwargs.items():
        mappings.put_key(run, made, Constant(name), value)
    return made


def _default_dict(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    made = _dict(run, args[1:], kwargs, at)
    if isinstance(made, Mapping_) and args and args[0] is not NONE:
        made.factory = args[0]
    return made


def _from_keys(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """dict.fromkeys(keys, value)."""
    made = Mapping_()
    run.born[made] = run.inexact
    run.state.slots[(made, LENGTH)] = Constant(0)
    for key in (containers.spread(run, args[0]) or iteration.iterate(run, args[0], at)[1]) if args else ():
        mappings.put_key(run, made, key, args[1] if len(args) > 1 else NONE)
    return made


def _chain_map(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    made = _dict(run, [], {}, at)
    for one in reversed(args):
        if isinstance(made, Mapping_):
            mappings.update(run, made, one)
    return made


def _shallow_copy(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """copy.copy(value)."""
    if args and isinstance(args[0], (Sequence_, Mapping_)):
        return run.call(run.attribute(args[0], "copy", at), [], {}, at)
    return external_modules.result_of(run, args, kwargs)


def _named_tuple(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`collections.namedtuple("Name", ["field", …])`: a constructor of tuples whose elements have names."""
    told = args[1] if len(args) > 1 else kwargs.get("field_names")
    listed = [told] if isinstance(told, Constant) else None if told is None else containers.items(run, told)
    words = [one.value for one in listed or () if isinstance(one, Constant) and isinstance(one.value, str)]
    if not words or len(words) != len(listed or ()):
        return Unknown()
    fields = words[0].replace(",", " ").split() if isinstance(told, Constant) else words
    last = containers.items(run, kwargs["defaults"]) if "defaults" in kwargs else None
    defaults = dict(zip(reversed(fields), reversed(last or [])))

    def made(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if {*fields[: len(args)], *kwargs, *defaults} == {*fields}:
            return records.record(run, fields, args, kwargs, defaults)
        spread, run.entering.spread = run.entering.spread, None
        return run.call_unknown(Unknown(), [*args, *([] if spread is None else [spread])], kwargs, at)

    return Native(made, exact=True, follows=True)


def _get(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """dict.__getitem__(obj, key)"""
    return run.item(inherited.contents(run, args[0]), args[1], at) if len(args) == 2 else Unknown()


def _set(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """dict.__setitem__(obj, key, value)"""
    held = inherited.contents(run, args[0]) if len(args) == 3 else None
    if isinstance(held, Mapping_):
        mappings.put_key(run, held, args[1], args[2])
    return NONE


INTRINSICS: dict[str, Play] = {
    "builtins.dict.__getitem__": _get,
    "builtins.dict.__setitem__": _set,
    "builtins.dict.get": lambda run, args, kwargs, at: run.call(
        run.attribute(inherited.contents(run, args[0]), "get", at), args[1:], kwargs, at
    ),
    "builtins.list": _list,
    "builtins.tuple": _collection("tuple"),
    "builtins.set": _collection("set"),
    "builtins.frozenset": _collection("set"),
    "builtins.sorted": _sorted,
    "builtins.dict": _dict,
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict": _dict,
    "collections.OrderedDict.fromkeys": _from_keys,
    "collections.deque": _deque,
    "collections.defaultdict": _default_dict,
    "collections.ChainMap": _chain_map,
    "collections.namedtuple": _named_tuple,
    "types.MappingProxyType": lambda run, args, kwargs, at: args[0] if args else Unknown(),
    "queue.Queue": lambda run, args, kwargs, at: collected(run, "deque", [], at),
    "queue.SimpleQueue": lambda run, args, kwargs, at: collected(run, "deque", [], at),
    "copy.copy": _shallow_copy,
}
