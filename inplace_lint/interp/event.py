"""Defines what a run records besides hazards: writes that raise at once or gain nothing, and calls it skipped."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .frames import Place
    from .guards import Guard
    from .storage import Storage
    from .values import Unknown, Value


class Skipped:
    """A call of a function of the project that was not entered: what went in and what came out."""

    __slots__ = ("given", "result", "source", "tensors")

    def __init__(
        self, source: FunctionSource, given: set[Value], tensors: set[Storage], result: Unknown
    ) -> None:
        self.source = source
        self.given = given
        self.tensors = tensors
        self.result = result


class Event:
    """Something that raises at once: `kind` is leaf, multi-view, expanded, no-grad-view, out or unknown-op.

    Or that is of no use: no-gain (the op clones what it writes), no-derivative (backward will raise).
    """

    __slots__ = (
        "cause",
        "doubtful",
        "early",
        "grad",
        "guard",
        "kind",
        "modeless",
        "op",
        "place",
        "sometimes",
        "sources",
        "stepped",
        "storage",
        "used",
    )

    def __init__(
        self, kind: str, place: Place, guard: Guard, op: str, storage: Storage, grad: int, cause: Place | None
    ) -> None:
        self.kind = kind
        self.place = place
        self.guard = guard
        self.op = op
        self.storage = storage
        self.grad = grad
        self.cause = cause
        #: of a view that was taken before anything required grad, and is a leaf for certain
        self.early = False
        #: of what came in and whose gradient is used: a leaf that is trained
        self.stepped = False
        #: it rests on something that may not be so
        self.doubtful = False
        #: it raises on some of the paths that lead to the write
        self.sometimes = False
        #: it raises whether or not gradients are recorded
        self.modeless = False
        #: it raises at a use, not at a write
        self.used = False
        #: from what a gradient may come
        self.sources: tuple[Storage, ...] = ()

    def is_by_a_flag(self) -> bool:
        """Whether it is a call that only a flag makes work in place: of a layer, or of a function of another name."""
        return isinstance(self.place.at, ast.Call) and not self.op.endswith("_")

    def is_bare(self) -> bool:
        """Whether nothing but that arguments may require grad says so."""
        if self.storage.origin == "unknown":
            return True
        return bool(self.sources) and all(s.moved or not s.credible() for s in self.sources)
