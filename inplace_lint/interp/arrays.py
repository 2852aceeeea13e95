"""Models tensor memory shared with NumPy arrays, storage objects and DLPack capsules.

A write through one of these (`a = x.numpy(); a += 1`) changes the tensor but does not move its version counter. Each
such object is an `Array`: its `memory` is an alias of the tensor with a version counter of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import arrays as known
from . import containers
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


class View(Array):
    """A view of another array's memory; `ordered`: consecutive elements are adjacent in memory."""

    __slots__ = ("base", "ordered")

    def __init__(self, of: Array, ordered: bool = True) -> None:
        Scalar.__init__(self)
        self.base: Array = of.base if isinstance(of, View) else of
        self.ordered = ordered and _is_ordered(of)

    @property
    def memory(self) -> Tensor | None:
        return self.base.memory

    @memory.setter
    def memory(self, memory: Tensor | None) -> None:
        self.base.memory = memory


def _is_ordered(array: Array) -> bool:
    return not isinstance(array, View) or array.ordered


def alias(run: Run, tensor: Tensor, way: str, at: ast.AST) -> Tensor:
    """Another tensor over the same memory, without history and with its own version counter (of kind `way`)."""
    other = tensor.alias()
    other.view = other.detached = True
    other.graph = Storage(run.uid(), "detached", 0, tensor.storage.made)
    other.counter = Counter(way, run.place(at))
    other.multi = other.no_grad_view = None
    return other


def look(run: Run, value: Value, way: str, at: ast.AST) -> Value:
    """The array over the memory of a tensor, as `x.numpy()` returns it; a value that is an array already stays."""
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
    """Records a write to the array's memory, and so to the tensor that shares it."""
    memory = array.memory
    if memory is None:
        return
    for guard, alternative in run.tensors(memory):
        written: Write = run.heap.write(
            alternative.storage, guard, op, run.place(at), counter=alternative.counter
        )
        run.found.writes.append(written)


def attribute(run: Run, array: Array, name: str) -> Value | None:
    """The value of `array.name`; None if the attribute has nothing to do with the memory."""
    if known.is_part(name):
        return View(array, not known.moves(name))
    if known.looks(name) or name == "numpy":
        return Native(lambda run, args, kwargs, at: _view(run, array, name, at))
    if not (known.writes(name) or known.makes(name)):
        return None

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if known.makes(name):
            return _made(run, array, name, kwargs, at)
        write(run, array, name, at)
        return Constant(None)

    return Native(play)


def _made(run: Run, array: Array, name: str, kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """The result of a method that copies: a new array, its `out` argument, or with `copy=` perhaps the array itself."""
    if "out" in kwargs:
        return _write_all(run, kwargs["out"], name, at)
    copy = kwargs.get("copy")
    copies = copy is None or (isinstance(copy, Constant) and copy.value is True)
    return Array() if copies else _perhaps_same(run, array, at)


def _view(run: Run, array: Array, name: str, at: ast.AST) -> Value:
    """A view of the memory by `name`; perhaps a copy, if elements would have to move (`a.T.reshape(-1)`)."""
    view = View(array, not known.moves(name))
    return view if _is_ordered(array) or not known.keeps_if_ordered(name) else _perhaps_same(run, view, at)


def _perhaps_same(run: Run, array: Array, at: ast.AST) -> Value:
    """The array itself or a copy of it, under the two outcomes of a doubt."""
    shares, copies = run.doubt(("copies", array, at, run.frame.uid))
    return join([(shares, array), (copies, Array())])


def item(run: Run, array: Array, index: Value) -> Value | None:
    """`array[index]`: a view for a slice, a copy for a list or an array; None for an index that takes one element."""
    parts = run.elements(index) if isinstance(index, Sequence_) and index.kind == "tuple" else [index]
    if any(isinstance(part, (Array, Sequence_, Tensor)) for part in parts):
        return Array()
    slices = [part for part in parts if isinstance(part, Slice)]
    return View(array, parts == [index] and not _steps(slices[0])) if slices else None


def note_element(run: Run, array: Array, element: Scalar) -> None:
    """Remembers which array `array[i]` was read from: it is a number, or a row of the array if a function writes it."""
    run.bottom().slots[(element, _ROW)] = array


def _row(run: Run, value: Value) -> Value:
    """For a value read as `array[i]` and now written, the row of that array; any other value as it is."""
    found = run.state.get((value, _ROW)) if isinstance(value, Scalar) else None
    return View(found) if isinstance(found, Array) else value


_ROW = "row of"


def _steps(index: Slice) -> bool:
    """Whether a slice has a step, and so may skip elements."""
    return len(index.parts) > 2 and not (
        isinstance(index.parts[2], Constant) and index.parts[2].value is None
    )


def call(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Models a call of a NumPy function."""
    name = dotted.removeprefix("numpy.")
    out = _out(name, args, kwargs)
    if out is not None:
        return _write_all(run, out, name, at)
    if args and (known.function_writes(name) or (name == "nan_to_num" and "copy" in kwargs)):
        _write_all(run, args[0], name, at)
    if known.function_looks(name) and args:
        return _looked(run, name, args[0], len(args) > 1 or bool(kwargs), at)
    if known.function_splits(name) and args:
        return containers.make(run, "list", [look(run, args[0], "shared", at)], exact=False)
    return Array() if _makes(run, name, args) else Scalar()


def _out(name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value | None:
    """The `out` argument of a function, by keyword or position; None if there is none."""
    place = known.place_of_out(name)
    out = kwargs.get("out", args[place] if 0 < place < len(args) else None)
    return None if isinstance(out, Constant) and out.value is None else out


def _makes(run: Run, name: str, args: Sequence[Value]) -> bool:
    """Whether a function returns a new array: always, or for elementwise functions when an argument may be an array."""
    maps = known.function_maps(name) and any(_may_be_array(run, value) for value in args)
    return maps or known.function_makes(name)


def _write_all(run: Run, value: Value, op: str, at: ast.AST) -> Value:
    """Records a write to each alternative of `value` that is an array, and returns `value`."""
    for guard, atom in run.live(value):
        atom = _row(run, atom)
        if isinstance(atom, Array):
            path, run.path = run.path, both(run.path, guard)
            write(run, atom, op, at)
            run.path = path
    return value


def _looked(run: Run, name: str, given: Value, more: bool, at: ast.AST) -> Value:
    """The result of a function that returns a view of its first argument; `more`: it has further arguments."""
    found: list[tuple[Guard, Value]] = []
    for guard, atom in run.live(look(run, given, "shared", at)):
        if not isinstance(atom, Array):
            found.append((guard, Scalar()))
        elif more and known.may_convert(name):
            found.append((guard, _perhaps_same(run, atom, at)))
        else:
            found.append((guard, _view(run, atom, name, at)))
    return join(found) if found else Scalar()


def _may_be_array(run: Run, value: Value) -> bool:
    return any(isinstance(atom, (Array, Sequence_, Unknown, Tensor)) for _, atom in run.live(value))


def shared_tensor(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Models `torch.from_numpy` and `torch.from_dlpack`: a tensor over the memory of the argument."""
    given = args[0] if args else kwargs.get("ndarray", kwargs.get("ext_tensor", Unknown()))
    made: list[tuple[Guard, Value]] = []
    for guard, atom in run.live(given):
        if isinstance(atom, Array):
            memory = atom.memory
            if memory is None:
                # The array existed before: writes through it do not move the new tensor's version counter.
                memory = atom.memory = alias(run, _on_cpu(run, at), "shared", at)
            made.append((guard, alias(run, memory, "shared", at)))
        elif isinstance(atom, (Tensor, Unknown)):
            tensor = run.as_tensor(atom)
            assert tensor is not None
            made.append((guard, alias(run, tensor, "shared", at)))
        else:
            made.append((guard, run.new_tensor("factory", 0, at)))
    return join(made) if made else Unknown()


def _on_cpu(run: Run, at: ast.AST) -> Tensor:
    """A new CPU tensor that stands for the memory of an array."""
    made = run.new_tensor("factory", 0, at)
    made.storage.device = "cpu"
    return made


def as_tensor(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Models `torch.as_tensor` and `torch.asarray`: the argument's memory is shared unless it has to be converted."""
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
    """The value or a new tensor, under the two outcomes of a doubt."""
    shares, copies = run.doubt(("as_tensor", at, run.frame.uid))
    return join([(shares, value), (copies, run.new_tensor("factory", 0, at))])


def capsule(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Models `torch.utils.dlpack.to_dlpack`."""
    return look(run, args[0], "shared", at) if args else Scalar()
