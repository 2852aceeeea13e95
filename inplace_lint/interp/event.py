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
    """A call of a project function that was not entered, with the values given to it and its result.

    `saves`: it was taken to save all parameters of the module whose method it is.
    """

    __slots__ = ("given", "result", "saves", "source", "tensors")

    def __init__(
        self,
        source: FunctionSource,
        given: set[Value],
        tensors: set[Storage],
        result: Unknown,
        saves: bool = False,
    ) -> None:
        self.source = source
        self.given = given
        self.tensors = tensors
        self.result = result
        self.saves = saves


class Event:
    """Something that raises at once: `kind` is leaf, multi-view, expanded, no-grad-view, out or unknown-op.

    Or that raises nothing by itself: no-gain (the op clones what it writes), no-derivative (backward will raise), stale
    (reads a value after its write), lost (writes a temporary), hidden (writes through `.data`).
    """

    __slots__ = (
        "by_argument",
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
        #: the tensor is a leaf for certain: a view taken before anything required grad
        self.early = False
        #: the tensor came from outside and its `.grad` is used: it is a leaf that is trained
        self.stepped = False
        #: it rests on an assumption that may be false
        self.doubtful = False
        #: it raises on only some of the paths that lead to the write
        self.sometimes = False
        #: it raises whether or not gradients are recorded
        self.modeless = False
        #: a call that has returned expanded the tensor to sizes from its arguments, which may be sizes of 1
        self.by_argument = False
        #: it stands at a use of the value, not at its write
        self.used = False
        #: the storages of the written tensor and of the operands that may require grad
        self.sources: tuple[Storage, ...] = ()

    def is_by_a_flag(self) -> bool:
        """Whether the place is a call that writes in place by a flag, as `F.relu(x, inplace=True)`, not by its name."""
        return isinstance(self.place.at, ast.Call) and not self.op.endswith("_")

    def is_by_another_call(self) -> bool:
        """Whether what caused it happened in a call that has returned."""
        return self.cause is not None and all(
            place.frame is not self.cause.frame for place in self.place.stack()
        )

    def is_bare(self) -> bool:
        """Whether the only evidence of a gradient is that arguments may require grad."""
        if self.storage.origin == "unknown":
            return True
        return bool(self.sources) and all(s.moved or not s.credible() for s in self.sources)

    def is_of_a_constructor(self) -> bool:
        """Whether the tensor was expanded by an `__init__` that has returned: an attribute holds it since."""
        if self.kind != "expanded" or self.cause is None:
            return False
        running = {place.frame for place in self.place.stack()}
        functions = [place.frame.function for place in self.cause.stack() if place.frame not in running]
        return any(function is not None and function.name == "__init__" for function in functions)
