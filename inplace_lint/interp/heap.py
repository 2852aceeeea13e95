"""Records autograd's state as guarded facts (graph, saves, writes), and matches each write with the saves it spoils.

Facts are added in the order of execution, each with the guard of its path. Branches need no copy of the heap: facts of
exclusive branches have guards that cannot hold together. Version counters need no numbers: a write spoils the saves of
the same storage that were recorded before it and whose node has not run its backward yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .graph import Node, Root, leading_to, leaves, reach
from .guards import ALWAYS, both, compatible, either, implies, literal, outside, tests, whatever
from .guards import NEVER as NOWHERE
from .storage import MAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .frames import Place
    from .guards import Guard
    from .storage import Counter, Storage, Taken
    from .values import Tensor


class Saved:
    """A tensor saved for backward: by which op and in which attribute of its node, under which guard, how certainly."""

    __slots__ = (
        "again",
        "attr",
        "autocast",
        "certain",
        "counter",
        "evaluated",
        "grad",
        "guard",
        "moved",
        "node",
        "node_name",
        "only",
        "op",
        "place",
        "ran",
        "read",
        "result",
        "sources",
        "storage",
        "taken",
        "time",
        "unchecked",
        "unproved",
        "view",
    )

    def __init__(self, storage: Storage, guard: Guard, node: Node, place: Place) -> None:
        self.storage = storage
        self.guard = guard
        #: the paths on which the op ran on this storage, whether or not a gradient was needed
        self.ran = guard
        self.node = node
        self.place = place
        self.op = ""
        self.node_name = ""
        self.attr = ""
        self.result = False
        self.grad = MAY
        self.certain = True
        #: saved by an op that only moves elements, and computed from nothing but moved inputs
        self.moved = False
        self.only = ""
        self.autocast = False
        #: the storages whose requiring grad makes the save happen
        self.sources: tuple[Storage, ...] = ()
        #: operands that must turn out to be tensors for the save to be real
        self.unproved: tuple[Storage, ...] = ()
        #: the version counter that the save notes, if it is not the storage's own
        self.counter: Counter | None = None
        #: the place that keeps backward from comparing versions, such as a saved-tensor hook
        self.unchecked: Place | None = None
        #: saved by a module in evaluation mode
        self.evaluated = False
        #: backward makes the save anew, from the value that the tensor's name has by then (a checkpoint)
        self.again = False
        #: the saved tensor is a view, or may be one that the op made of its operand
        self.view = False
        #: how the tensor was taken from a container
        self.taken: Taken | None = None
        #: the heap's time when it was made
        self.time = 0
        #: whether backward reads its values, and does not only compare its version
        self.read = True


class Write:
    """An in-place change of a storage, by the op `op`, at `place`."""

    __slots__ = (
        "cause",
        "counted",
        "covers",
        "guard",
        "in_loop",
        "initial",
        "into_list",
        "looped",
        "op",
        "place",
        "recorded",
        "since",
        "storage",
        "through",
        "time",
    )

    def __init__(self, storage: Storage, guard: Guard, op: str, place: Place, time: int) -> None:
        self.storage = storage
        self.guard = guard
        self.op = op
        self.place = place
        self.time = time
        #: the time and guard of the first in a series of equal, idempotent writes that this one continues
        self.since, self.covers = time, guard
        #: in a loop that may have no rounds
        self.looped = False
        #: in a loop of the function that executes it
        self.in_loop = False
        #: by an initialiser of torch.nn.init
        self.initial = False
        #: the alias of the storage through which it is written
        self.through: Tensor | None = None
        #: whether it moves the version of its storage; if not, `cause` is the place that shared the memory without it
        self.counted = True
        self.cause: Place | None = None
        #: it may put an element into a list, which changes no tensor
        self.into_list = False
        #: autograd records it: for a leaf that requires grad, or a view of one, it raises
        self.recorded = False

    def is_of_a_tensor(self) -> bool:
        """Whether the written value is known to be a tensor, and not a list of tensors."""
        return self.storage.is_tensor() and not (self.into_list and self.storage.parts_only)


class Hazard:
    """A write after a save of the same storage; a finding if a root (a backward, a return) needs the saving node."""

    __slots__ = ("followed", "guard", "held", "kind", "reached", "saved", "together", "via", "write")

    def __init__(self, saved: Saved, write: Write, guard: Guard, kind: str = "write") -> None:
        self.saved = saved
        self.write = write
        self.guard = guard
        self.kind = kind
        self.reached = False
        #: a backward after the write needs it; else its result has only left the function
        self.followed = False
        #: the paths on which some root needs the saving node
        self.via: Guard = NOWHERE
        #: one storage of several was written, not known which: real only if each group has a reached hazard
        self.together: list[list[Hazard]] = []
        #: not real as long as nothing shows that the written part is the one that the root needs
        self.held = False

    def is_real(self) -> bool:
        """Whether a root needs the saved value, whichever storage of the groups was written."""
        return self.reached and all(
            any(other.reached and not other.held for other in group) for group in self.together
        )


class _Record:
    __slots__ = ("bit", "grads", "nodes", "saves", "storage", "writes")

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.saves: list[Saved] = []
        self.writes: list[tuple[int, Guard]] = []
        self.nodes: list[tuple[Guard, Node]] = []
        self.grads: list[tuple[Guard, int]] = []
        #: the literal of the source's test of `requires_grad`, if there is one
        self.bit: int | None = None


class Heap:
    """The state of autograd along all paths of one run."""

    def __init__(self) -> None:
        self.time = 0
        self.hazards: list[Hazard] = []
        self.roots: list[Root] = []
        #: the nodes that the backwards so far have reached; None if that has to be computed anew
        self.used: set[Node] | None = set()
        #: the mask of literals that mark a path as a guess
        self.doubtful = 0
        self._records: dict[int, _Record] = {}
        #: leaves that are known not to require grad, on the paths of the guard
        self._plain: dict[Node, Guard] = {}

    def record(self, storage: Storage) -> _Record:
        record = self._records.get(storage.uid)
        if record is None:
            record = self._records[storage.uid] = _Record(storage)
            record.grads = [*storage.first_grads]
            if record.grads and (storage.leaf or storage.origin != "result"):
                node = Node([], asked=storage.asked)
                record.nodes = [(guard, node) for guard, _ in record.grads]
        return record

    def gradients(self, tensor: Tensor, guard: Guard) -> list[tuple[Guard, int]]:
        """Under which guards the tensor requires grad, each with its evidence (MAY or DOES)."""
        if tensor.storage.dtype in ("bool", "int"):
            return []
        record = self.record(tensor.graph)
        found = [(met, evidence) for g, evidence in record.grads if (met := both(guard, g))]
        if record.bit is not None:
            holds = literal(record.bit, True)
            found = [(met, evidence) for g, evidence in found if (met := both(g, holds))]
        return found

    def nodes(self, tensor: Tensor, guard: Guard) -> list[tuple[Guard, Node]]:
        """The graph nodes of the tensor, each with its guard. The graph of a view made under no_grad ends there.

        A view that a `Function` made has the graph of its own that the call gave it.
        """
        ends = tensor.no_grad_view is not None and tensor.graph is tensor.storage
        if ends or tensor.storage.dtype in ("bool", "int"):
            return []
        return [(met, node) for g, node in self.record(tensor.graph).nodes if (met := both(guard, g))]

    def by_node(self) -> dict[Node, list[Storage]]:
        """The storages whose tensors have each graph node."""
        found: dict[Node, list[Storage]] = {}
        for record in self._records.values():
            for _, node in record.nodes:
                found.setdefault(node, []).append(record.storage)
        return found

    def results_in(
        self, storage: Storage, guard: Guard, node: Node, grads: Iterable[tuple[Guard, int]]
    ) -> None:
        """Makes the storage's tensor the result of `node` on the paths of `guard`."""
        record = self.record(storage)
        kept = [(g, n) for g, n in record.nodes if not implies(g, guard)]
        record.nodes = [*kept, (guard, node)]
        self.add_gradients(storage, grads)

    def copy_graph(self, source: Storage, target: Storage) -> None:
        """`target` is another result of the op that made `source`."""
        record = self.record(source)
        copy = self.record(target)
        copy.nodes, copy.grads = list(record.nodes), list(record.grads)

    def is_leaf(self, storage: Storage, guard: Guard) -> bool:
        """Whether no op has yet given the storage's tensor a history on these paths."""
        return not any(node.edges and compatible(guard, g) for g, node in self.record(storage).nodes)

    def add_gradients(self, storage: Storage, grads: Iterable[tuple[Guard, int]]) -> None:
        record = self.record(storage)
        for guard, evidence in grads:
            if not any(e >= evidence and implies(guard, g) for g, e in record.grads):
                record.grads.append((guard, evidence))

    def forget_gradients(self, storage: Storage, guard: Guard) -> None:
        """Records `detach_` or `requires_grad_(False)`: the storage's tensor requires no grad on these paths."""
        record = self.record(storage)
        record.grads = outside(record.grads, guard)
        record.nodes = outside(record.nodes, guard)

    def save(self, saved: Saved) -> None:
        saved.time = self.time
        self.record(saved.storage).saves.append(saved)

    def write(
        self,
        storage: Storage,
        guard: Guard,
        op: str,
        place: Place,
        kind: str = "write",
        counter: Counter | None = None,
        quiet: str = "",
    ) -> Write:
        """Records a write, and a hazard for every live save of the storage.

        It moves the version of `counter` (the storage's own if None), or none if `quiet` names a reason. A save that
        noted another counter, or whose version is not compared, is changed without an error.
        """
        self.time += 1
        write = Write(storage, guard, op, place, self.time)
        for saved in self._live(storage, guard):
            unseen = quiet or _unseen(saved, counter)
            if unseen and not saved.read:
                continue
            left = _left(saved, guard)
            if left:
                self.hazards.append(Hazard(saved, write, left, unseen or kind))
        write.counted = not quiet and counter is None
        if counter is not None:
            write.cause = counter.place
        return write

    def replace(self, storage: Storage, guard: Guard, op: str, place: Place) -> Write:
        """Records `tensor.data = other`: saves of this tensor see other memory, but not saves of views and results."""
        self.time += 1
        write = Write(storage, guard, op, place, self.time)
        write.counted = False
        for saved in self._live(storage, guard):
            left = _left(saved, guard)
            if left and not saved.result and not saved.view:
                self.hazards.append(Hazard(saved, write, left, "data"))
        return write

    def _live(self, storage: Storage, guard: Guard) -> list[Saved]:
        """The saves of the storage, on paths that lead here, whose nodes no backward has freed."""
        return [
            saved
            for saved in self.record(storage).saves
            if compatible(saved.guard, guard) and not saved.node.is_freed(guard, saved.guard)
        ]

    def escape(self, tensors: Sequence[tuple[Guard, Tensor]], guard: Guard) -> None:
        """Records that tensors leave the function: a caller may call backward on them at any later time."""
        nodes = [found for g, tensor in tensors for found in self.nodes(tensor, both(guard, g))]
        if nodes:
            self.roots.append(Root(None, guard, nodes))

    def backward(
        self,
        tensors: Sequence[tuple[Guard, Tensor]],
        guard: Guard,
        retain: bool,
        ends: set[Node] | None = None,
        returns: bool = False,
    ) -> None:
        """Records a backward from the tensors, to all leaves or to `ends`: it uses their graph and may free it."""
        nodes = [found for g, tensor in tensors for found in self.nodes(tensor, both(guard, g))]
        if not nodes:
            return
        self.time += 1
        root = Root(self.time, guard, nodes, None if ends is None else leading_to(ends, nodes, returns))
        self.roots.append(root)
        reached = root.reach()
        if self.used is not None:
            self.used.update(reached)
        if not retain:
            for node, path in reached.items():
                node.freed.append(path)
            hidden = max((node.opaque for node in reached), default=0)
            for record in self._records.values() if hidden else ():
                for saved in record.saves:
                    if saved.node.serial < hidden:
                        saved.node.freed.append(guard)

    def refuse(self, tensor: Tensor, guard: Guard) -> None:
        """Records an op that raises if the tensor requires grad, as `x.numpy()`: no leaf behind the tensor does."""
        for leaf, path in leaves(self.nodes(tensor, guard), guard).items():
            known = self._plain.get(leaf)
            self._plain[leaf] = path if known is None else either(known, path)

    def is_plain(self, saved: Saved, guard: Guard) -> bool:
        """Whether no leaf behind the saving node can require grad on these paths."""
        if not self._plain:
            return False
        return all(
            leaf in self._plain and implies(path, self._plain[leaf])
            for leaf, path in leaves([(ALWAYS, saved.node)], guard).items()
        )

    def base_written(self, storage: Storage, guard: Guard) -> None:
        """Remembers a write, other than through a multi-output or no_grad view (which raises by itself)."""
        self.record(storage).writes.append((self.time, guard))

    def written_since(self, storage: Storage, time: int, guard: Guard) -> bool:
        """Whether the storage was written after that time, on a path that can lead here."""
        return any(t > time and compatible(g, guard) for t, g in self.record(storage).writes)

    def has_gradient(self, leaf: Storage, unseen: bool) -> bool:
        """Whether a backward so far reached this leaf; `unseen` is the answer if the run has seen no backward."""
        timed = [root for root in self.roots if root.time is not None]
        if not timed:
            return unseen
        if self.used is None:
            self.used = {node for root in timed for node in root.reach()}
        return any(node in self.used for _, node in self.record(leaf).nodes)

    def confirm(self, weighed: int) -> list[Hazard]:
        """The real hazards: a backward after the write, a return or an escape needs the saving node.

        `weighed` is the mask of the tests whose outcomes tell how sure a finding is.
        """
        pending = [hazard for hazard in self.hazards if not self._is_sure(hazard.via)]
        if pending:
            first = min(hazard.write.time for hazard in pending)
            uses = any(root.time is not None for root in self.roots)
            used: dict[Node, list[Node]] = {}
            for hazard in pending:
                weighed |= tests(hazard.guard)
            for root in self.roots:
                time = root.time
                if time is not None and time < first:
                    continue
                within = root.reach(weighed)
                for hazard in pending:
                    settled = hazard.reached and self._is_sure(hazard.via)
                    if settled and (hazard.followed or hazard.kind != "step"):
                        continue
                    if hazard.write.time < root.since or (time is not None and time < hazard.write.time):
                        continue
                    reached = within.get(hazard.saved.node)
                    if reached is not None and compatible(reached, hazard.guard):
                        if time is None and uses and self._is_used_up(hazard, used):
                            continue
                        hazard.reached = True
                        hazard.followed = hazard.followed or time is not None
                        hazard.via = either(hazard.via, reached)
        return [hazard for hazard in self.hazards if hazard.is_real()]

    def _is_used_up(self, hazard: Hazard, used: dict[Node, list[Node]]) -> bool:
        """Whether a node behind the saving node is freed already: another backward would raise there anyway.

        `used` caches the freed nodes behind each saving node.
        """
        node = hazard.saved.node
        if node not in used:
            freed = {s.node for r in self._records.values() for s in r.saves if s.node.freed}
            used[node] = [other for other in reach([(ALWAYS, node)]) if other is not node and other in freed]
        return any(other.is_freed(hazard.guard, hazard.saved.guard) for other in used[node])

    def _is_sure(self, guard: Guard) -> bool:
        """Whether one of the paths is not a guess."""
        return bool(whatever(guard, self.doubtful))


def _unseen(saved: Saved, counter: Counter | None) -> str:
    """The kind of silent hazard if the save does not see this counter's writes; empty if backward compares it."""
    if saved.unchecked is not None:
        return "unchecked"
    if saved.counter is counter:
        return ""
    return "shared" if any(c is not None and c.way == "shared" for c in (saved.counter, counter)) else "data"


def _left(saved: Saved, guard: Guard) -> Guard:
    """The paths on which a write meets a save; for a leaf, only those on which no backward has used the save yet.

    For other storages all paths count: a later round of a loop may write what this one saved, with other test outcomes.
    """
    met = both(saved.guard, guard)
    return saved.node.left(met) if saved.storage.leaf else met
