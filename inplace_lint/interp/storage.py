"""Defines `Storage`, the memory that aliases share: its origin, its gradients, whether it is proved to be a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from .guards import ALWAYS, either, implies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .frames import Loop, Place
    from .guards import Guard
    from .values import Unknown

#: Evidence that a tensor requires grad: never, perhaps (it comes from outside), certainly.
NEVER, MAY, DOES = 0, 1, 2


class Storage:
    """Memory that tensors share.

    `grad` is the evidence that the tensor requires grad when it is made, or when a run begins, if it belongs to an
    object that was built before; `first_grads` says on which paths. `leaf` says that it is a leaf. `proved` says that
    it is certainly a tensor: an unknown value that only went through operators might be a number. The result of an
    operator on the unknown operands `sources` is a tensor if one of them is.
    """

    __slots__ = (
        "_no_tensor_at",
        "_no_witness_at",
        "asked",
        "bits",
        "device",
        "dtype",
        "evidence",
        "first_grads",
        "has_axes",
        "indexed",
        "initialised",
        "leaf",
        "made",
        "moved",
        "no_evidence",
        "origin",
        "parts_only",
        "perhaps_part",
        "proved",
        "puts",
        "sources",
        "standing",
        "uid",
        "value",
        "wanted",
    )

    #: counts the changes that may invalidate cached answers of `is_tensor` and `witness`
    findings: ClassVar[int] = 0

    def __init__(
        self,
        uid: int,
        origin: str,
        grad: int,
        made: Place | None,
        leaf: bool = False,
        dtype: str = "?",
        proved: bool = True,
    ) -> None:
        self.uid = uid
        self.origin = origin  # result, factory, parameter, buffer, argument, unknown
        self.first_grads: list[tuple[Guard, int]] = [(ALWAYS, grad)] if grad else []
        self.leaf = leaf
        #: it was made a leaf by `requires_grad=True` or `requires_grad_()`
        self.asked = False
        self.dtype = dtype
        self.device = "?"
        #: it holds only 0s and 1s
        self.bits = False
        #: a module initialised it when it was built: its version is not known
        self.initialised = False
        #: it belongs to an object that was built before the run
        self.standing = False
        #: the storages through which it may require grad
        self.evidence: tuple[Storage, ...] = ()
        self.made = made
        self.proved = proved
        #: only uses of its elements proved it: it may be a list of tensors as well
        self.parts_only = False
        #: an index was taken of it that a list, or a tuple, would accept too
        self.indexed = False
        #: the heap's times at which an element was assigned: if it is a list, the element is another tensor then
        self.puts: tuple[int, ...] = ()
        #: its values come from outside and were only moved (reshaped, stacked), never computed with
        self.moved = origin in ("unknown", "factory")
        #: it is of a kind that rarely requires grad: a gradient, or data by a second look (`grad_evidence`)
        self.no_evidence = False
        #: `autograd.grad` takes its gradient, or that of a tensor made of it alone: this raises unless it requires grad
        self.wanted = False
        self.sources: tuple[Storage, ...] = ()
        #: it has at least one axis: as an index it makes a copy, where a 0-dim tensor makes a view
        self.has_axes = False
        #: made by an index that may be a 0-dim tensor: then it is a view of the indexed tensor
        self.perhaps_part = False
        #: the unknown value that this storage stands for, if it is a tensor
        self.value: Unknown | None = None
        #: caches: the count of `findings` at the last negative answer of `is_tensor`, and of `witness`
        self._no_tensor_at = self._no_witness_at = -1

    @property
    def grad(self) -> int:
        return max((evidence for _, evidence in self.first_grads), default=NEVER)

    @grad.setter
    def grad(self, evidence: int) -> None:
        self.first_grads = [(ALWAYS, evidence)] if evidence else []

    def prove(self) -> None:
        """Note that it was used as only a tensor can be, which proves its sources to be tensors as well."""
        pending = [self]
        while pending:
            storage = pending.pop()
            if not storage.proved:
                storage.proved = True
                Storage.findings += 1
                pending.extend(storage.sources)

    def is_tensor(self) -> bool:
        """Whether it is proved, or made by operators from a storage that is."""
        if self.proved:
            return True
        now = Storage.findings
        seen: set[Storage] = {self}
        pending = [] if self._no_tensor_at == now else [self]
        while pending:
            for source in pending.pop().sources:
                if source.proved:
                    self.proved = True  # cached
                    return True
                if source not in seen and source._no_tensor_at != now:
                    seen.add(source)
                    pending.append(source)
        for storage in seen:
            storage._no_tensor_at = now
        return False

    def credible(self) -> bool:
        """Whether there is a tensor behind it that may well require grad."""
        return self.witness() is not None

    def witness(self) -> Storage | None:
        """The first storage in its evidence, or itself, that is a tensor and may well require grad."""
        if not self.evidence:
            return self if self._may_need_one() else None
        now = Storage.findings
        seen: set[Storage] = {self}
        pending = [] if self._no_witness_at == now else [self]
        while pending:
            storage = pending.pop()
            if not storage.evidence:
                if storage._may_need_one():
                    return storage
                continue
            for source in storage.evidence:
                if source not in seen and source._no_witness_at != now:
                    seen.add(source)
                    pending.append(source)
        for storage in seen:
            storage._no_witness_at = now
        return None

    def rest_on(self, others: Iterable[Storage]) -> None:
        """Add storages to its evidence."""
        more = [one for one in others if one not in self.evidence]
        if more:
            self.evidence += tuple(more)
            Storage.findings += 1

    def become_leaf(self) -> None:
        """Note that it was made a leaf (`requires_grad_()`)."""
        self.leaf = self.asked = True
        Storage.findings += 1

    def _may_need_one(self) -> bool:
        """Whether it is a tensor that may well require grad: not a new one that was never asked to."""
        made = self.origin in ("factory", "gradient") and not self.grad and not self.leaf
        return not made and not self.no_evidence and self.is_tensor()


class Counter:
    """A version counter other than that of the storage: other aliases do not see the writes through it.

    `way` is "data" (`.data`, a storage object) or "shared" (an array, another tensor over the same memory).
    """

    __slots__ = ("place", "way")

    def __init__(self, way: str, place: Place) -> None:
        self.way = way
        self.place = place


class ElementPlace(NamedTuple):
    """Which element of a list: its number from one side, or the index under which it was read (`side` is None).

    Numbers are compared only within a `base`: the lists whose elements stand in one order.
    """

    base: object
    side: str | None
    number: object


#: The sides that elements are counted from.
FRONT, BACK = "front", "back"


class Taken:
    """How a tensor was taken from a container whose elements are one abstract value: the key and the loop.

    `perhaps`: the container is an unknown value, which may be one tensor as well.
    """

    __slots__ = ("key", "loop", "perhaps")

    def __init__(self, key: object, loop: Loop | None, perhaps: bool = False) -> None:
        self.key = key
        self.loop = loop
        self.perhaps = perhaps

    def is_another(self, other: Taken | None) -> bool:
        """Whether it is most likely another element: another key in the same loop (two loops both take all)."""
        if other is None or self.key == other.key:
            return False
        places = [key for key in (self.key, other.key) if isinstance(key, ElementPlace)]
        if len(places) == 1:
            return False  # a list's and a dict's key do not compare
        sides = [place.side for place in places]
        if places and None not in sides:
            return places[0][:2] == places[1][:2]
        return self.loop is other.loop and BACK not in sides

    def may_be_another(self, other: Taken | None) -> bool:
        """Whether it may as well be another: counted from different ends, or the order may have changed between."""
        if other is None or self.key == other.key or self.is_another(other):
            return False
        return self.loop is other.loop or not (self._takes_any() or other._takes_any())

    def _takes_any(self) -> bool:
        """Whether it was read under a key that may be any."""
        return not isinstance(self.key, ElementPlace) or self.key.side is None


def strongest(grads: Iterable[tuple[Guard, int]]) -> list[tuple[Guard, int]]:
    """The same evidence with one guard for each level (MAY, DOES)."""
    levels: dict[int, Guard] = {}
    for guard, evidence in grads:
        known = levels.get(evidence)
        levels[evidence] = guard if known is None else either(known, guard)
    if DOES in levels and MAY in levels and implies(levels[MAY], levels[DOES]):
        del levels[MAY]
    return [(guard, evidence) for evidence, guard in levels.items() if evidence > NEVER]
