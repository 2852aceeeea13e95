"""Models methods of lists, tuples, sets, dicts and `torch.nn` containers: `append`, `pop`, `items`, `update`, …"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import concrete, containers, elements, holding, inherited, layers, mappings, methods, places
from .frames import LENGTH, OPTIONS
from .joins import join
from .values import (
    ANY,
    Constant,
    Mapping_,
    Native,
    Phi,
    Scalar,
    Sequence_,
    Text,
    Unknown,
    Value,
    alternatives,
    present,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

NONE = Constant(None)


def has(obj: Sequence_ | Mapping_, name: str) -> bool:
    """Whether `name` is a method of this kind of container that is modelled here."""
    return concrete.has(obj, name) or name in (
        _SEQUENCE_METHODS if isinstance(obj, Sequence_) else _MAPPING_METHODS
    )


def of(run: Run, obj: Sequence_ | Mapping_, name: str) -> Value:
    """The value of `obj.name`: a method of a list, tuple, set, dict or `torch.nn` container, or a member."""
    if has(obj, name):
        gives = name in ("get", "pop", "setdefault")  # perhaps what is given as the default
        return Native(
            lambda run, args, kwargs, at: _call(run, obj, name, args, kwargs, at), follows=not gives
        )
    if isinstance(obj, Mapping_) and obj.kind == "ModuleDict" and ("key", name) in obj.keys:
        return mappings.get_key(run, obj, Constant(name))
    if obj.kind in ("Sequential", "ModuleList", "ModuleDict"):
        found = methods.module_protocol(run, obj, name)
        if found is not None:
            return found
        if name == "training":
            return layers.training(run)
    return run.member(obj, name)


def _call(
    run: Run,
    obj: Sequence_ | Mapping_,
    name: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
) -> Value:
    """`obj.name(…)`: as Python runs it if the elements are known one by one, else what may come of it."""
    if run.found.observed and name in ("get", "pop") and args and not isinstance(args[0], Constant):
        holding.stored(run, obj, at)
    exact = concrete.method(run, obj, name, args, kwargs, at)
    if exact is not None:
        return exact
    if isinstance(obj, Sequence_):
        play = _SEQUENCE_METHODS.get(name)
        return Unknown() if play is None else play(run, obj, args)
    model = _MAPPING_METHODS.get(name)
    return Unknown() if model is None else model(run, obj, args, kwargs)


def _append(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    if args:
        containers.append(run, obj, args[-1])
    return NONE


def _add_module(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    """`add_module(name, module)` of an `nn.Sequential` or `nn.ModuleList`."""
    if len(args) == 2 and isinstance(args[0], Constant):
        inherited.set_element(run, obj, str(args[0].value), args[1])
        run.set_member(obj, str(args[0].value), args[1])
        return NONE
    return _append(run, obj, args)


def _extend(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    from .inplace import extend

    if args:
        extend(run, obj, args[0])
    return NONE


def _insert(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    known = containers.items(run, obj)
    if len(args) == 2:
        if known is not None and isinstance(args[0], Constant) and isinstance(args[0].value, int):
            known.insert(args[0].value, args[1])
            kept = known[: obj.longest]
            for i, value in enumerate(kept):
                run.put(obj, i, value)
            run.state.slots[(obj, LENGTH)] = Constant(len(kept))
        else:
            containers.smear(run, obj, args[1])
            first = isinstance(args[0], Constant) and args[0].value == 0
            containers.forget_ends(run, obj, (-1, 0) if first else None)
    return NONE


def _pop(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    known = containers.items(run, obj)
    index = args[0] if args else Constant(-1)
    if (
        known
        and isinstance(index, Constant)
        and isinstance(index.value, int)
        and abs(index.value) < len(known) + 1
    ):
        place = index.value % len(known)
        taken = known.pop(place)
        for i, value in enumerate(known):
            run.put(obj, i, value)
        run.state.slots[(obj, LENGTH)] = Constant(len(known))
        return taken
    number = index.value if isinstance(index, Constant) else None
    popped = places.at(run, obj, number) if isinstance(number, int) else places.somewhere()
    run.state.slots[(obj, LENGTH)] = Unknown()
    containers.forget_ends(run, obj, (1, 0) if number == 0 else (0, 1) if number == -1 else None)
    return places.of_unknown(run, popped) or elements.at_place(run, containers.any_element(run, obj), popped)


def _reorder(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    run.state.slots[(obj, LENGTH)] = Unknown()
    containers.forget_ends(run, obj)
    return NONE


def _clear(run: Run, obj: Sequence_ | Mapping_, args: Sequence[Value]) -> Value:
    containers.clear(run, obj)
    return NONE


def _extend_left(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    _extend(run, obj, args)
    return _reorder(run, obj, args)


def _add_all(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    """set.update(a, b)."""
    for one in args:
        _extend(run, obj, [one])
    return NONE


def _union(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    """A set with the elements of all; of an intersection or difference, what it may hold."""
    made = containers.make(run, "set", run.elements(obj), exact=False)
    if isinstance(made, Sequence_):
        _add_all(run, made, args)
        run.state.slots[(made, LENGTH)] = Unknown()
    return made


def _some(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    return containers.make(run, "set", run.elements(obj), exact=False)


def _copy(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    known = containers.items(run, obj)
    copied = containers.make(run, obj.kind, run.elements(obj) if known is None else known, known is not None)
    places.follow(run, copied, obj, obj)
    return copied


def _get(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if not args:
        return Unknown()
    if isinstance(args[0], Phi):
        return run.each(args[0], lambda one: _get(run, obj, [one, *args[1:]], kwargs))
    default = args[1] if len(args) > 1 else run.state.get((obj, OPTIONS)) or NONE
    key = elements.constant(run, args[0])
    there = mappings.holds(run, obj, key.value) if isinstance(key, Constant) else None
    if there is None:
        return mappings.or_default(run, obj, key, mappings.get_key(run, obj, args[0]), default)
    held, missing = run.split(there)
    if not held:
        return default
    found = mappings.get_key(run, obj, args[0])
    return join([(held, found), (missing, default)]) if missing else found


def _pop_key(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    value = _get(run, obj, args, kwargs)
    if args:
        mappings.remove_key(run, obj, args[0])
    return value


def _pop_item(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """dict.popitem() of a dict of which not all keys are known."""
    run.state.slots[(obj, LENGTH)] = Unknown()
    value = elements.at_place(run, containers.any_element(run, obj), places.somewhere())
    return containers.make(run, "tuple", [Scalar(), value])


def _copy_mapping(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    made = Mapping_(obj.kind)
    made.factory = obj.factory
    run.born[made] = run.inexact
    run.state.slots[(made, LENGTH)] = Constant(0)
    mappings.update(run, made, obj)
    return made


def _values(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if isinstance(obj, mappings.Lazy) and obj.find is not None:
        return containers.make(run, "list", [*run.elements(obj), obj.find(None)], exact=False)
    made = containers.make(run, "list", run.elements(obj), exact=ANY not in obj.keys)
    run.several.drawn_from[made] = obj
    return made


def _items(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    pairs = []
    for key in obj.keys:
        value = present(run.state.get((obj, key)))
        if value is None:
            continue
        name = mappings.key_of(run, obj, key)
        # Values that the rounds of a loop stored under unknown keys make one pair each.
        each = [value] if isinstance(key, tuple) else [atom for _, atom in alternatives(value)]
        if not elements.of_rounds(each) and not all(isinstance(atom, Unknown) for atom in each):
            each = [value]
        names = (
            [Scalar() for _ in each]
            if len(each) > 1 and type(name) in (Scalar, Text)
            else [name for _ in each]
        )
        pairs += [containers.make(run, "tuple", [*pair]) for pair in zip(names, each)]
    if isinstance(obj, mappings.Lazy) and obj.find is not None:
        pair = containers.make(run, "tuple", [Scalar(), obj.find(None)])
        return containers.make(run, "list", [*pairs, pair], exact=False)
    made = containers.make(run, "list", pairs, exact=ANY not in obj.keys)
    run.several.drawn_from[made] = obj
    return made


def _keys(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    there = [key for key in obj.keys if present(run.state.get((obj, key))) is not None]
    names = [mappings.key_of(run, obj, key) for key in there]
    return containers.make(run, "set", names, exact=ANY not in there)


def _setdefault(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 2:
        return Unknown()
    value = _get(run, obj, args, kwargs)
    if (
        value is args[1]
        or not isinstance(args[0], Constant)
        or mappings.holds(run, obj, args[0].value) is None
    ):
        value = args[1]
    mappings.put_key(run, obj, args[0], value)
    return value


def _update_with_pairs(run: Run, obj: Mapping_, pairs: Sequence_) -> None:
    """dict.update([(key, value), …])."""
    for pair in run.elements(pairs):
        for _, atom in alternatives(pair):
            parts = containers.items(run, atom)
            if parts is not None and len(parts) == 2:
                mappings.put_key(run, obj, *parts)
    if containers.items(run, pairs) is None:
        run.state.slots[(obj, LENGTH)] = Unknown()


def _update(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    for other in args:
        if isinstance(other, Sequence_):
            _update_with_pairs(run, obj, other)
        else:
            mappings.update(run, obj, other)
    for name, value in kwargs.items():
        mappings.put_key(run, obj, Constant(name), value)
    return NONE


def _take(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    """deque.popleft(), Queue.get()."""
    return _pop(run, obj, [_FIRST])


#: The index at which `appendleft` and `popleft` of a deque work.
_FIRST = Constant(0)


def _set_item(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) == 2:
        mappings.put_key(run, obj, *args)
    return NONE


def _get_item(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return mappings.get_key(run, obj, args[0]) if args else Unknown()


_SEQUENCE_METHODS: dict[str, Callable[[Run, Sequence_, Sequence[Value]], Value]] = {
    "append": _append,
    "add": _append,
    "add_module": _add_module,
    "register_module": _add_module,
    "appendleft": lambda run, obj, args: _insert(run, obj, [_FIRST, *args]),
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": _take,
    "clear": _clear,
    "copy": _copy,
    "extendleft": _extend_left,
    **dict.fromkeys(("remove", "discard", "reverse", "rotate", "sort"), _reorder),
    "update": _add_all,
    **dict.fromkeys(("union", "symmetric_difference"), _union),
    **dict.fromkeys(("intersection", "difference"), _some),
    "put": _append,
    "put_nowait": _append,
    "get": _take,
    "get_nowait": _take,
}
_MAPPING_METHODS = {
    "__setitem__": _set_item,
    "__getitem__": _get_item,
    "clear": lambda run, obj, args, kwargs: _clear(run, obj, args),
    "copy": _copy_mapping,
    "get": _get,
    "pop": _pop_key,
    "popitem": _pop_item,
    "values": _values,
    "items": _items,
    "keys": _keys,
    "setdefault": _setdefault,
    "update": _update,
    "add_module": _set_item,
    "register_module": _set_item,
}
