"""Detects stale reads and lost writes: values that are wrong whatever autograd saves.

A read is stale if a name is read after the tensor that it holds was written through another expression: both are one
tensor by then (`x.sigmoid_() * x`; `identity = x; x.relu_(); x + identity`). A write is lost if its statement makes
the tensor that it changes, and nothing holds that tensor afterwards (`x[mask].fill_(0)`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import end_of, start_of, walk
from ..syntax.surroundings import Surroundings
from . import idempotent_writes
from .event import Event
from .guards import both, compatible, implies
from .storage import DOES
from .values import Sequence_, Tensor, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .frames import Binding, Frame, Place
    from .heap import Write
    from .run import Run


def reads(run: Run, op: str, at: ast.AST, operands: list[Tensor], replaces: bool) -> None:
    """Report operands that are read by a stale name; `replaces`: the op overwrites its receiver, without a read."""
    receiver = getattr(getattr(at, "func", None), "value", None) if replaces else None
    held = [
        (node, [t for _, t in run.tensors(run.load(node.id))])
        for node in _named_operands(at)
        if node is not receiver
    ]
    for node, tensors in held:
        others = {id(t) for other, found in held if other.id != node.id for t in found if other is not node}
        for tensor in tensors:
            if not any(tensor is operand for operand in operands) or not _is_one(run, tensor):
                continue
            write = _since(run, node.id, tensor, id(tensor) in others, at)
            if write is not None:
                guard = both(run.path, write.guard)
                stale = Event(
                    "stale",
                    run.place(node),
                    guard,
                    op,
                    tensor.storage,
                    DOES,
                    _seen_here(run.frame, write.place),
                )
                stale.modeless = stale.used = True
                # The write is not made on every path to the read; options such as `inplace=True` are left aside.
                stale.doubtful = not implies(run.path, run.without_options(write.guard))
                run.found.events.append(stale)
                break


def repeated(run: Run, op: str, at: ast.AST, value: Value) -> None:
    """Report `torch.stack(states)` if the list holds one tensor several times that was written in between."""
    for guard, atom in run.live(value):
        if not isinstance(atom, Sequence_) or atom.kind not in ("list", "tuple", "set", "deque", "iterator"):
            continue
        for tensor, (put, write) in atom.again.items():
            condition = both(both(guard, put), write.guard)
            if condition:
                cause = _seen_here(run.frame, write.place)
                stale = Event("stale", run.place(at), condition, op, tensor.storage, DOES, cause)
                stale.modeless = stale.used = True
                run.found.events.append(stale)


def put_again(run: Run, sequence: Sequence_, tensor: Tensor) -> None:
    """Note that a tensor is appended to a list that holds it already, and was written since (`put_again`)."""
    before = sequence.put_at.setdefault(tensor, [])
    if tensor in run.found.written and _is_one(run, tensor):
        for time, path in before:
            put = both(path, run.path)  # not if one of two paths puts it: `if a: out.append(t); continue`
            for write in run.found.writes:
                if put and write.through is tensor and write.time > time:
                    sequence.again[tensor] = put, write
    if not any(implies(run.path, path) for _, path in before):
        before.append((run.heap.time, run.path))


def _is_one(run: Run, tensor: Tensor) -> bool:
    """Whether a tensor is a single one, and does not stand for any element of a list or any parameter of a module."""
    return tensor not in run.several.many and tensor.multi is None and tensor.storage.origin != "parameter"


def picked(run: Run, part: Value, at: ast.AST) -> None:
    """Remember by which index a view was taken, for `swapped`."""
    for atom in run.possible(part):
        if isinstance(atom, Tensor) and atom.view:
            run.found.picked[atom] = (at, run.heap.time)


def swapped(run: Run, target: Value, value: Value, at: ast.AST) -> None:
    """Report `x[i], x[j] = x[j], x[i]`: the second assignment copies from a view that the first has overwritten."""
    for guard, atom in run.live(value) if run.found.picked else ():
        tensor = run.as_tensor(target)
        if not isinstance(atom, Tensor) or tensor is None or atom.storage is not tensor.storage:
            continue
        node, time = run.found.picked.get(atom, (at, 0))
        if same(node, at):
            continue
        for write in run.found.writes:
            if (
                write.storage is tensor.storage
                and write.time > time
                and write.place.frame is run.frame
                and same(write.place.at, node)
            ):
                condition = both(both(run.path, guard), write.guard)
                if condition:
                    stale = Event(
                        "stale", run.place(at), condition, "setitem", tensor.storage, DOES, write.place
                    )
                    stale.modeless = stale.used = True
                    run.found.events.append(stale)
                    return


def same(one: object, other: object) -> bool:
    """Whether two expressions have the same syntax, their contexts (load or store) left aside."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if not isinstance(one, ast.AST) or type(one) is not type(other):
        return one == other
    return all(same(getattr(one, f, None), getattr(other, f, None)) for f in one._fields if f != "ctx")


def lost(run: Run, at: ast.AST, writes: Sequence[Write]) -> None:
    """Report writes of an expression statement to a tensor that the statement itself made."""
    for write in writes:
        made = write.storage.made
        if (
            write.place.at is at
            and write.place.frame is run.frame
            and write.storage.origin == "result"
            and not write.storage.perhaps_part
            and made is not None
            and made.frame is run.frame
            and made.at is not at
            and _within(made.at, at)
            and not any(isinstance(node, ast.NamedExpr) for node in walk(at))  # a name holds it
        ):
            found = Event("lost", write.place, write.guard, write.op, write.storage, DOES, made)
            found.modeless = True
            run.found.events.append(found)


def hidden(run: Run, tensor: Tensor, write: Write) -> None:
    """Report a write through `.data` in the same statement, even if no live save makes it wrong."""
    counter = tensor.counter
    if (
        counter is not None
        and counter.way == "data"
        and counter.place.frame is run.frame
        and isinstance(counter.place.at, ast.Attribute)
        and _within(counter.place.at, write.place.at)
    ):
        found = Event("hidden", write.place, write.guard, write.op, write.storage, DOES, counter.place)
        found.modeless = True
        # `used`: there are saves, or other code may have saved it
        found.used = write.storage.origin not in ("result", "factory") or bool(
            run.heap.record(write.storage).saves
        )
        run.found.events.append(found)


def _since(run: Run, name: str, tensor: Tensor, twice: bool, at: ast.AST) -> Write | None:
    """The write that makes a read of `name` stale, if any; `twice`: the op also reads the tensor by another name."""
    frame = run.frame
    bound = _binding(run, name, tensor)
    if tensor not in run.found.written:
        return None
    for write in reversed(run.found.writes):
        if write.through is not tensor or not compatible(write.guard, run.path):
            continue
        place = _seen_here(frame, write.place)
        if place is None:
            continue
        if place.at is not at and _within(place.at, at):
            return write
        if bound is not None and write.time <= bound.time:
            return None  # this write, and all before it, came before the name was bound
        through = _names_through(place.at)
        if name in through and not isinstance(place.at, ast.Subscript):
            # A write by this name has read it, or replaced it: that is where it was stale.
            return write if _is_hidden_by_a_layer(run, write, place, at) else None
        if bound is None or name in through or _does_it_again(at, name, write, through):
            continue
        if twice or bound.source in through:
            return write
    return None


def _is_hidden_by_a_layer(run: Run, write: Write, place: Place, at: ast.AST) -> bool:
    """Whether a call before this one changed its argument by a layer with `inplace=True`, and its result is used.

    In `out = self.relu(x)` nothing shows the change, and who wanted it for `x` as well would have written `x` there.
    """
    layer = write.place.layer
    if layer is None or place.at is at or (layer.frame is run.frame and _within(layer.at, place.at)):
        return False  # `nn.ReLU(inplace=True)(x)` shows it
    return not Surroundings(run.frame.module, place.at).is_statement()


def _does_it_again(at: ast.AST, name: str, write: Write, through: set[str]) -> bool:
    """Whether a read is that of a second write, which changes nothing: `clamp(x, 0, 1, out=x)` by another name."""
    if not idempotent_writes.changes_once(write.op):
        return False
    read, written = ast.dump(at), ast.dump(write.place.at)
    return any(read == written.replace(f"id={one!r}", f"id={name!r}") for one in through)


def _binding(run: Run, name: str, tensor: Tensor) -> Binding | None:
    """The binding by which a name holds a tensor, perhaps not the last: `if self.down: identity = self.down(x)`."""
    known = run.frame.bindings.get(name)
    if not known:
        return None
    return next((b for b in reversed(known) if any(t is tensor for _, t in run.tensors(b.value))), known[-1])


def _seen_here(frame: Frame, place: Place) -> Place | None:
    """The place in this frame at which the write was made, or the call that led to it."""
    return next((p for p in place.stack() if p.frame is frame), None)


def _within(inner: ast.AST, outer: ast.AST) -> bool:
    if not hasattr(inner, "lineno") or not hasattr(outer, "lineno"):
        return False
    return start_of(outer) <= start_of(inner) and end_of(inner) <= end_of(outer)


def _operands(node: Any) -> Iterator[ast.AST]:
    """The operand expressions of an operation or call, lists and tuples opened."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        yield from (node.target, node.value)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        for arg in node.args:
            yield from arg.elts if isinstance(arg, (ast.List, ast.Tuple)) else (arg,)
        for keyword in node.keywords:
            if keyword.arg != "out":  # only written
                yield keyword.value


def _named_operands(node: ast.AST) -> list[ast.Name]:
    return [operand for operand in _operands(node) if isinstance(operand, ast.Name)]


def _names_through(node: ast.AST) -> set[str]:
    """The names through which the write at a node reached the tensor."""
    found: set[str] = set()
    targets = [node] if isinstance(node, (ast.Subscript, ast.Name)) else list(_operands(node))
    out = [keyword.value for keyword in getattr(node, "keywords", ()) if keyword.arg == "out"]
    for target in out or targets:
        while isinstance(target, (ast.Subscript, ast.Attribute, ast.Call)):
            target = target.func if isinstance(target, ast.Call) else target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found
