"""Memory that tensors share with NumPy arrays, storage objects and DLPack capsules, which move no version.

What is not a tensor but looks at the memory of one is an `Array`: its `memory` is an alias with a counter of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import arrays as known
from .guards import both
from .heap import Write
from .joins import join
from .slices import Slice
from .storage import Counter, Storage
from .values import Array, Constant, Native, Scalar, Sequence_, Tensor, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .guards import Guard
    from .run import Run


def alias(run: Run, tensor: Tensor, way: str, at: ast.AST) -> Tensor:
    """Another tensor over the same memory, with neither its graph nor its version counter."""
    other = tensor.alias()
    other.view = other.detached = True
    other.graph = Storage(run.uid(), "detached", 0, tensor.storage.made)
    other.counter = Counter(way, run.place(at))
    other.multi = other.no_grad_view = None
    return other


def look(run: Run, value: Value, way: str, at: ast.AST) -> Value:
    """What is no tensor and shares the memory of one."""
    found: list[tuple[Guard, Value]] = []
    for guard, atom in run.live(value):
        if isinstance(atom, Array):
            found.append((guard, atom))
            continue
        tensor = run.as_tensor(atom) if isinstance(atom, (Tensor, Unknown)) else None
        array = Array()
        if tensor is not None:
            array.memory = alias(run, tensor, way, at)
        found.append((guard, array))
    return join(found) if found else Scalar()


def write(run: Run, array: Array, op: str, at: ast.AST) -> None:
    """The array's memory is changed."""
    memory = array.memory
    if memory is None:
        return
    for guard, alternative in run.tensors(memory):
        written: Write = run.heap.write(
            alternative.storage, guard, op, run.place(at), counter=alternative.counter
        )
        run.found.writes.append(written)


def attribute(run: Run, array: Array, name: str) -> Value | None:
    """array.name; None where it has nothing to do with the memory."""
    if known.is_part(name):
        return array
    if known.looks(name) or name == "numpy":
        return Native(lambda *_: array)
    if known.writes(name):

        def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
            write(run, array, name, at)
            return Constant(None)

        return Native(play)
    return None


def item(run: Run, array: Array, index: Value) -> Value | None:
    """array[index]: the same memory where the index is basic, None where it is a number or a copy."""
    parts = run.elements(index) if isinstance(index, Sequence_) else [index]
    return array if any(isinstance(part, Slice) for part in parts) else None


def call(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """A function of NumPy."""
    name = dotted.removeprefix("numpy.")
    for value in [*args[:1], *([kwargs["out"]] if "out" in kwargs else [])]:
        if known.function_writes(name) or ("out" in kwargs and value is kwargs["out"]):
            for guard, atom in run.live(value):
                if isinstance(atom, Array):
                    path, run.path = run.path, both(run.path, guard)
                    write(run, atom, name, at)
                    run.path = path
    if known.function_looks(name) and args and not kwargs and len(args) == 1:
        return look(run, args[0], "shared", at)
    return Array() if known.function_makes(name) else Scalar()


def shared_tensor(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.from_numpy, torch.from_dlpack: a tensor over the memory of what is given."""
    given = args[0] if args else kwargs.get("ndarray", kwargs.get("ext_tensor", Unknown()))
    made: list[tuple[Guard, Value]] = []
    for guard, atom in run.live(given):
        if isinstance(atom, Array):
            if atom.memory is None:
                # The array was there before: what is written by way of it, this tensor's counter does not see.
                atom.memory = alias(run, run.new_tensor("factory", 0, at), "shared", at)
            made.append((guard, alias(run, atom.memory, "shared", at)))
        elif isinstance(atom, (Tensor, Unknown)):
            tensor = run.as_tensor(atom)
            assert tensor is not None
            made.append((guard, alias(run, tensor, "shared", at)))
        else:
            made.append((guard, run.new_tensor("factory", 0, at)))
    return join(made) if made else Unknown()


def as_tensor(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.as_tensor, torch.asarray: the tensor itself, or a tensor over an array's memory, unless they convert it."""
    given = args[0] if args else kwargs.get("data", kwargs.get("obj", Unknown()))
    if isinstance(given, Array):
        if len(args) > 1 or any(name in kwargs for name in ("dtype", "device", "copy")):
            return _perhaps(run, shared_tensor(run, [given], {}, at), at)
        return shared_tensor(run, [given], {}, at)
    plain = len(args) == 1 and not kwargs
    found: list[tuple[Guard, Value]] = []
    for guard, atom in run.live(given):
        fresh = run.new_tensor("factory", 0, at)
        if not isinstance(atom, (Tensor, Unknown)):
            found.append((guard, fresh))
        elif plain and isinstance(atom, Tensor):
            found.append((guard, atom))
        else:
            shares, copies = run.doubt(("as_tensor", atom, at, run.frame.uid))
            found += [(both(guard, shares), atom), (both(guard, copies), fresh)]
    return join(found) if found else Unknown()


def _perhaps(run: Run, value: Value, at: ast.AST) -> Value:
    shares, copies = run.doubt(("as_tensor", at, run.frame.uid))
    return join([(shares, value), (copies, run.new_tensor("factory", 0, at))])


def capsule(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.utils.dlpack.to_dlpack."""
    return look(run, args[0], "shared", at) if args else Scalar()
