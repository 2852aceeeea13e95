"""Finds the access path by which a call reaches a tensor it changes: argument 1 (`x`), or an attribute (`Net.buf`)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .values import Instance, Mapping_, Sequence_, Tensor, Unknown, alternatives

if TYPE_CHECKING:
    import ast

    from .event import Event
    from .heap import Write
    from .run import Run
    from .storage import Storage
    from .values import Value

#: The path of a write to a tensor that the call itself makes, as `nn.Sequential(conv, nn.ReLU(inplace=True))` does.
INSIDE = (-1, "")

#: How many objects deep an attribute is searched for.
_DEPTH = 4


def access_path(run: Run, write: Write | Event, at: ast.AST) -> tuple[int, str] | None:
    """The access path of a write in the call `at`: (argument index, parameter name) or (-1, "Class.attribute").

    The index does not count `self`; it is -1 for a keyword-only parameter. None if the path is not known.
    """
    stack = write.place.stack()
    made = write.storage.made
    if made is not None and any(place.at is at for place in made.stack()):
        return None  # the call itself made the tensor
    frame = next((inner.frame for outer, inner in pairwise(stack) if outer.at is at), None)
    if frame is None or frame.function is None:
        return None
    names = [parameter.arg for parameter in frame.function.parameters]
    method = bool(names) and frame.function.owner is not None
    for name, value in frame.given.items():
        if _holds(value, write.storage):
            return (names.index(name) - method if name in names else -1), name
    for value in frame.given.values():
        found = _attribute(run, value, write.storage, _DEPTH)
        if found:
            return -1, found
    return None


def _holds(value: Value, storage: Storage) -> bool:
    """Whether the value may be a tensor of this storage."""
    for _, atom in alternatives(value):
        tensor = atom.tensor if isinstance(atom, Unknown) else atom
        if isinstance(tensor, Tensor) and tensor.storage is storage:
            return True
    return False


def _attribute(run: Run, value: Value, storage: Storage, depth: int) -> str:
    """The attribute, as "Class.attribute", through which the value holds the storage; empty if there is none."""
    if depth == 0:
        return ""
    for _, atom in alternatives(value):
        if isinstance(atom, Instance):
            for key in list(atom.keys):
                held = run.state.get((atom, key))
                if held is None:
                    continue
                if isinstance(key, str) and key.isidentifier() and _holds(held, storage):
                    return f"{atom.cls.source.name}.{key}"
                found = _attribute(run, held, storage, depth - 1)
                if found:
                    return found
        elif isinstance(atom, (Sequence_, Mapping_)) and atom.kind.startswith("Module"):
            for held in run.elements(atom):
                found = _attribute(run, held, storage, depth - 1)
                if found:
                    return found
    return ""
