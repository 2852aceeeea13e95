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
    """A look at the memory of another array; `ordered`: elements that follow each other lie side by side."""

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
    """What a method makes: a new array, unless it is told where to write, or that it need not copy."""
    if "out" in kwargs:
        return _write_all(run, kwargs["out"], name, at)
    copy = kwargs.get("copy")
    return Array() if copy is None else _perhaps_same(run, array, at)


def _view(run: Run, array: Array, name: str, at: ast.AST) -> Value:
    """Another look at the memory, or a copy where the elements would have to move."""
    view = View(array, not known.moves(name))
    return view if _is_ordered(array) or not known.keeps_if_ordered(name) else _perhaps_same(run, view, at)


def _perhaps_same(run: Run, array: Array, at: ast.AST) -> Value:
    shares, copies = run.doubt(("copies", array, at, run.frame.uid))
    return join([(shares, array), (copies, Array())])


def item(run: Run, array: Array, index: Value) -> Value | None:
    """array[index]: the same memory where the index is basic, a copy where it is a list or an array, else a number."""
    parts = run.elements(index) if isinstance(index, Sequence_) and index.kind == "tuple" else [index]
    if any(isinstance(part, (Array, Sequence_, Tensor)) for part in parts):
        return Array()
    slices = [part for part in parts if isinstance(part, Slice)]
    return View(array, parts == [index] and not _steps(slices[0])) if slices else None


def note_element(run: Run, array: Array, element: Scalar) -> None:
    """What stands at one index is a number, or a row: the latter where a function is told to write to it."""
    run.bottom().slots[(element, _ROW)] = array


def _row(run: Run, value: Value) -> Value:
    """The row of an array, of what is used as only a row can be."""
    found = run.state.get((value, _ROW)) if isinstance(value, Scalar) else None
    return View(found) if isinstance(found, Array) else value


_ROW = "row of"


def _steps(index: Slice) -> bool:
    """Whether a slice passes over elements."""
    return len(index.parts) > 2 and not (
        isinstance(index.parts[2], Constant) and index.parts[2].value is None
    )


def call(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """A function of NumPy."""
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
    """The array that a function is told to write its result to."""
    place = known.place_of_out(name)
    out = kwargs.get("out", args[place] if 0 < place < len(args) else None)
    return None if isinstance(out, Constant) and out.value is None else out


def _makes(run: Run, name: str, args: Sequence[Value]) -> bool:
    """Whether a function returns a new array, as those do that go over elements where they are given one."""
    maps = known.function_maps(name) and any(_may_be_array(run, value) for value in args)
    return maps or known.function_makes(name)


def _write_all(run: Run, value: Value, op: str, at: ast.AST) -> Value:
    """What may be an array is changed."""
    for guard, atom in run.live(value):
        atom = _row(run, atom)
        if isinstance(atom, Array):
            path, run.path = run.path, both(run.path, guard)
            write(run, atom, op, at)
            run.path = path
    return value


def _looked(run: Run, name: str, given: Value, more: bool, at: ast.AST) -> Value:
    """What a function gives that looks at the memory of its first argument; `more`: there are others."""
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
    """torch.from_numpy, torch.from_dlpack: a tensor over the memory of what is given."""
    given = args[0] if args else kwargs.get("ndarray", kwargs.get("ext_tensor", Unknown()))
    made: list[tuple[Guard, Value]] = []
    for guard, atom in run.live(given):
        if isinstance(atom, Array):
            memory = atom.memory
            if memory is None:
                # The array was there before: what is written by way of it, this tensor's counter does not see.
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
    """The memory of an array, as a tensor."""
    made = run.new_tensor("factory", 0, at)
    made.storage.device = "cpu"
    return made


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
