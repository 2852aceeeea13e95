"""Models `copy.deepcopy`: builds modules, objects and containers of the same structure over fresh storages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .frames import LAST, LENGTH
from .joins import join
from .storage import DOES, NEVER
from .values import Instance, Mapping_, Phi, Sequence_, Tensor, TorchModule, Unknown

if TYPE_CHECKING:
    import ast

    from .run import Run
    from .values import Value

#: Values nested deeper than this are copied as unknown values.
_DEPTH = 6


def deepcopy(run: Run, value: Value, at: ast.AST) -> Value:
    """A deep copy of a value; a part that occurs several times in it is copied once."""
    return _copy(run, value, at, {}, _DEPTH)


def _copy(run: Run, value: Value, at: ast.AST, known: dict[Value, Value], depth: int) -> Value:
    found = known.get(value)
    if found is None:
        found = known[value] = _made(run, value, at, known, depth)
    return found


def _made(run: Run, value: Value, at: ast.AST, known: dict[Value, Value], depth: int) -> Value:
    if depth == 0 or isinstance(value, Unknown):
        return Unknown()
    if isinstance(value, Phi):
        return join([(guard, _copy(run, atom, at, known, depth)) for guard, atom in value.alternatives])
    if isinstance(value, Tensor):
        # An element of something unknown may as well be a list: its copy is no more of a tensor than it is.
        return _tensor(run, value, at) if value.storage.is_tensor() else Unknown()
    if isinstance(value, TorchModule):
        weights = None if value.weights is None else _tensor(run, value.weights, at)
        module = TorchModule(value.name, value.config, weights, value.built)
        module.owns = {name: _tensor(run, tensor, at) for name, tensor in value.owns.items()}
        return module
    if isinstance(value, Instance):
        obj = known[value] = Instance(value.cls, shared=value.shared)
        obj.buffers = value.buffers
        if value.pending is not None:
            args, kwargs = value.pending
            obj.pending = (
                [_copy(run, arg, at, known, depth - 1) for arg in args],
                {name: _copy(run, arg, at, known, depth - 1) for name, arg in kwargs.items()},
            )
        _fill(run, value, obj, at, known, depth)
        return obj
    if isinstance(value, (Sequence_, Mapping_)):
        container = known[value] = type(value)(value.kind)
        run.born[container] = run.inexact
        if isinstance(value, Mapping_) and isinstance(container, Mapping_):
            container.patterns = None if value.patterns is None else dict(value.patterns)
        _fill(run, value, container, at, known, depth)
        for key in (LENGTH, LAST, *(getattr(value, "patterns", None) or ())):
            mark = run.state.get((value, key))
            if mark is not None:
                run.state.slots[(container, key)] = _copy(run, mark, at, known, depth - 1)
        return container
    return value


def _fill(
    run: Run,
    value: Sequence_ | Mapping_ | Instance,
    made: Value,
    at: ast.AST,
    known: dict[Value, Value],
    depth: int,
) -> None:
    assert isinstance(made, (Sequence_, Mapping_, Instance))
    for key in list(value.keys):
        held = run.state.get((value, key))
        if held is not None:
            run.put(made, key, _copy(run, held, at, known, depth - 1))


def _tensor(run: Run, tensor: Tensor, at: ast.AST) -> Tensor:
    """A tensor with a new storage of the same kind; it is a leaf that requires grad if the original surely is one."""
    storage = tensor.storage
    evidence = max((e for _, e in run.heap.gradients(tensor, run.path)), default=NEVER)
    leaf = storage.leaf and evidence == DOES
    origin = storage.origin if storage.origin in ("parameter", "buffer") else "factory"
    copy = run.new_tensor(origin, evidence if leaf else NEVER, at, leaf=leaf, dtype=storage.dtype)
    copy.sizes = tensor.sizes
    return copy
