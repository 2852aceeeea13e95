"""Models methods of lists, tuples, sets, dicts and `torch.nn` containers: `append`, `pop`, `items`, `update`, …"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers, elements, layers, methods
from .frames import LENGTH
from .values import ANY, Constant, Mapping_, Native, Scalar, Sequence_, Text, Unknown, Value, alternatives

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

NONE = Constant(None)


def has(obj: Sequence_ | Mapping_, name: str) -> bool:
    """Whether `name` is a list method (of a sequence) or a dict method (of a mapping) that is modelled here."""
    return name in (_SEQUENCE_METHODS if isinstance(obj, Sequence_) else _MAPPING_METHODS)


def of(run: Run, obj: Sequence_ | Mapping_, name: str) -> Value:
    """The value of `obj.name`: a method of a list, tuple, set, dict or `torch.nn` container, or a member."""
    if isinstance(obj, Sequence_):
        play = _SEQUENCE_METHODS.get(name)
        if play is not None:
            return Native(lambda run, args, kwargs, at: play(run, obj, args))
    else:
        play_mapping = _MAPPING_METHODS.get(name)
        if play_mapping is not None:
            return Native(lambda run, args, kwargs, at: play_mapping(run, obj, args, kwargs))
    if obj.kind in ("Sequential", "ModuleList", "ModuleDict"):
        found = methods.module_protocol(run, obj, name)
        if found is not None:
            return found
        if name == "training":
            return layers.training(run)
    return run.member(obj, name)


def _append(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    if args:
        containers.append(run, obj, args[-1])
    return NONE


def _extend(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    from .inplace import extend

    if args:
        extend(run, obj, args[0])
    return NONE


def _insert(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    known = containers.items(run, obj)
    if len(args) == 2:
        if known is not None and isinstance(args[0], Constant) and args[0].value == 0:
            for i, value in enumerate([args[1], *known]):
                run.put(obj, i, value)
            run.state.slots[(obj, LENGTH)] = Constant(len(known) + 1)
        else:
            containers.smear(run, obj, args[1])
            containers.forget_ends(run, obj)
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
    run.state.slots[(obj, LENGTH)] = Unknown()
    containers.forget_ends(run, obj)
    return containers.any_element(run, obj)


def delete_item(run: Run, obj: Value, index: Value) -> None:
    """del obj[index]."""
    for _, atom in alternatives(obj):
        if isinstance(atom, Sequence_):
            _pop(run, atom, [index])
        elif isinstance(atom, Mapping_):
            _pop_key(run, atom, [index], {})


def _reverse(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    for i, value in enumerate(reversed(containers.items(run, obj) or [])):
        run.put(obj, i, value)
    containers.forget_ends(run, obj)
    return NONE


def _reorder(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    run.state.slots[(obj, LENGTH)] = Unknown()
    containers.forget_ends(run, obj)
    return NONE


def _clear(run: Run, obj: Sequence_ | Mapping_, args: Sequence[Value]) -> Value:
    if isinstance(obj, Sequence_):
        run.state.slots[(obj, LENGTH)] = Constant(0)
        containers.forget_ends(run, obj)
    return NONE


def _copy(run: Run, obj: Sequence_, args: Sequence[Value]) -> Value:
    known = containers.items(run, obj)
    if known is not None:
        return containers.make(run, obj.kind, known)
    return containers.make(run, obj.kind, run.elements(obj), exact=False)


def _get(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if not args:
        return Unknown()
    if isinstance(args[0], Constant) and containers.holds(run, obj, args[0].value) is False:
        return args[1] if len(args) > 1 else NONE
    return containers.get_key(run, obj, args[0])


def _pop_key(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    value = _get(run, obj, args, kwargs)
    if args and isinstance(args[0], Constant) and ("key", args[0].value) in obj.keys:
        obj.popped.add(("key", args[0].value))
    return value


def _values(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if isinstance(obj, containers.Lazy) and obj.find is not None:
        return containers.make(run, "list", [*run.elements(obj), obj.find(None)], exact=False)
    return containers.make(run, "list", run.elements(obj), exact=ANY not in obj.keys)


def _items(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    pairs = []
    for key in obj.keys:
        value = run.state.get((obj, key))
        if value is None:
            continue
        name = containers.key_of(run, obj, key)
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
    if isinstance(obj, containers.Lazy) and obj.find is not None:
        pair = containers.make(run, "tuple", [Scalar(), obj.find(None)])
        return containers.make(run, "list", [*pairs, pair], exact=False)
    return containers.make(run, "list", pairs, exact=ANY not in obj.keys)


def _keys(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    names = [containers.key_of(run, obj, key) for key in obj.keys]
    return containers.make(run, "list", names, exact=ANY not in obj.keys)


def _setdefault(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 2:
        return Unknown()
    if isinstance(args[0], Constant) and containers.holds(run, obj, args[0].value):
        return containers.get_key(run, obj, args[0])
    containers.put_key(run, obj, args[0], args[1])
    return args[1]


def _update_with_pairs(run: Run, obj: Mapping_, pairs: Sequence_) -> None:
    """dict.update([(key, value), …])."""
    for pair in run.elements(pairs):
        for _, atom in alternatives(pair):
            parts = containers.items(run, atom)
            if parts is not None and len(parts) == 2:
                containers.put_key(run, obj, *parts)
    if containers.items(run, pairs) is None:
        run.state.slots[(obj, LENGTH)] = Unknown()


def _update(run: Run, obj: Mapping_, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    for other in args:
        if isinstance(other, Sequence_):
            _update_with_pairs(run, obj, other)
        else:
            containers.update(run, obj, other)
    for name, value in kwargs.items():
        containers.put_key(run, obj, Constant(name), value)
    return NONE


#: The index at which `appendleft` and `popleft` of a deque work.
_FIRST = Constant(0)

_SEQUENCE_METHODS: dict[str, Callable[[Run, Sequence_, Sequence[Value]], Value]] = {
    "append": _append,
    "add": _append,
    "add_module": _append,
    "register_module": _append,
    "appendleft": lambda run, obj, args: _insert(run, obj, [_FIRST, *args]),
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": lambda run, obj, args: _pop(run, obj, [_FIRST]),
    "clear": _clear,
    "copy": _copy,
    "remove": _reorder,
    "reverse": _reverse,
    "rotate": _reorder,
    "sort": _reorder,
}
_MAPPING_METHODS = {
    "get": _get,
    "pop": _pop_key,
    "values": _values,
    "items": _items,
    "keys": _keys,
    "setdefault": _setdefault,
    "update": _update,
}
