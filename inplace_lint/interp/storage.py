"""Defines `Storage`, the memory that aliases share: its origin, its gradients, whether it is proved to be a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .frames import Loop, Place
    from .values import Unknown

#: Grad evidence.
NEVER, MAY, DOES = 0, 1, 2


class Storage:
    """Memory that tensors share.

    `grad` is the evidence that the tensor that owns it requires grad when it comes into being; `leaf` that it is a
    leaf. `proved` says that it is certain to be a tensor (a value of unknown kind that only went through operators
    might be a number); a value made by operators from `sources` is a tensor if one of them is.
    """

    __slots__ = (
        "_no_tensor_at",
        "_no_witness_at",
        "bits",
        "device",
        "dtype",
        "evidence",
        "grad",
        "has_axes",
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

    #: how often something was found out that may change what was answered of storages made of others
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
        self.grad = grad
        self.leaf = leaf
        self.dtype = dtype
        self.device = "?"
        #: it holds nothing but zeros and ones
        self.bits = False
        #: a module wrote it when it was built: its version is not known
        self.initialised = False
        #: it belongs to an object that was there before the run began
        self.standing = False
        #: the storages from which it may have come to require grad
        self.evidence: tuple[Storage, ...] = ()
        self.made = made
        self.proved = proved
        #: what proved it were uses of its elements: it may be a list of tensors just as well
        self.parts_only = False
        #: when something was put in the place of an element of it, in the heap's time: of a list, that is another then
        self.puts: tuple[int, ...] = ()
        #: what may require grad in it came as it is from outside: moved about, never computed with
        self.moved = origin in ("unknown", "factory")
        #: it is as a rule of a kind that needs no gradient: a gradient itself, or what a second look finds so
        self.no_evidence = False
        #: a gradient with respect to it, or to what was made of it alone, is taken: PyTorch raises where it needs none
        self.wanted = False
        self.sources: tuple[Storage, ...] = ()
        #: it is certain to have an axis: an index by it copies, where one by a number as a tensor makes a view
        self.has_axes = False
        #: made by an index that may have been such a number: then it is part of what was indexed
        self.perhaps_part = False
        #: the value of unknown kind whose tensor this would be
        self.value: Unknown | None = None
        #: when it was last found to be made of no tensor, and when none of its evidence was credible
        self._no_tensor_at = self._no_witness_at = -1

    def prove(self) -> None:
        """It was used as only a tensor can be: then so is what it was made from."""
        pending = [self]
        while pending:
            storage = pending.pop()
            if not storage.proved:
                storage.proved = True
                Storage.findings += 1
                pending.extend(storage.sources)

    def is_tensor(self) -> bool:
        """Whether it is proved, or made by operators from something that is."""
        if self.proved:
            return True
        now = Storage.findings
        seen: set[Storage] = {self}
        pending = [] if self._no_tensor_at == now else [self]
        while pending:
            for source in pending.pop().sources:
                if source.proved:
                    self.proved = True  # and stays so: the next question is answered at once
                    return True
                if source not in seen and source._no_tensor_at != now:
                    seen.add(source)
                    pending.append(source)
        for storage in seen:
            storage._no_tensor_at = now
        return False

    def credible(self) -> bool:
        """Whether what may make it require grad is known to be a tensor, and may well need a gradient."""
        return self.witness() is not None

    def witness(self) -> Storage | None:
        """What makes it credible: the first storage behind it that is known to be a tensor."""
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
        """More storages from which it may have come to require grad."""
        more = [one for one in others if one not in self.evidence]
        if more:
            self.evidence += tuple(more)
            Storage.findings += 1

    def become_leaf(self) -> None:
        """Somebody asked for its gradients."""
        self.leaf = True
        Storage.findings += 1

    def _may_need_one(self) -> bool:
        """Whether it is a tensor that may well need a gradient: not one that was just made, and never asked to."""
        made = self.origin in ("factory", "gradient") and not self.grad and not self.leaf
        return not made and not self.no_evidence and self.is_tensor()


class Counter:
    """A version counter that is not its storage's own: what is written by way of it, others do not see.

    `way` is "data" (`.data`, a storage object) or "shared" (an array, another tensor over the same memory).
    """

    __slots__ = ("place", "way")

    def __init__(self, way: str, place: Place) -> None:
        self.way = way
        self.place = place


class Taken:
    """Under which key, in which loop, something was taken from a container whose elements are not told apart.

    `perhaps`: from something of unknown kind, which may be one tensor as well.
    """

    __slots__ = ("key", "loop", "perhaps")

    def __init__(self, key: object, loop: Loop | None, perhaps: bool = False) -> None:
        self.key = key
        self.loop = loop
        self.perhaps = perhaps

    def is_another(self, other: Taken | None) -> bool:
        """Whether it is, as far as anybody can tell, not the same element: of what two loops take, each takes all."""
        return other is not None and self.loop is other.loop and self.key != other.key
