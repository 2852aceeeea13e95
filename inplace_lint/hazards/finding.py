"""Defines a finding: a hazard or event at a place in the checked file, with its saves, causes and confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.nodes import start_of, walk

if TYPE_CHECKING:
    import ast

    from ..interp.frames import Place
    from ..interp.heap import Saved
    from ..interp.sharing import Sharing
    from ..syntax.module import FunctionSource

POSSIBLE, LIKELY, CERTAIN = 0, 1, 2
#: Kinds of hazards that raise no error.
SILENT = frozenset({"data", "shared", "unchecked"})
#: Kinds of events that raise nothing: any other finding at the same place takes precedence.
HARMLESS = frozenset({"no-gain", "no-derivative", "stale", "argument", "lost", "hidden"})
#: Kinds that depend on no facts of a caller.
LOCAL = frozenset({"stale", "argument", "lost", "hidden"})
#: Kinds of events that raise only where gradients are recorded.
REFUSED = ("leaf", "multi-view", "no-grad-view", "out")


class SavedAt:
    """One save that a finding names."""

    __slots__ = ("again", "attr", "certain", "confidence", "node", "only", "op", "place", "result")

    def __init__(self, saved: Saved, confidence: int) -> None:
        self.place = saved.place
        self.op = saved.op
        self.node = saved.node_name
        self.attr = saved.attr
        self.result = saved.result
        self.only = saved.only
        self.again = saved.again
        self.certain = saved.certain
        self.confidence = confidence


class Finding:
    """A hazard at a place of the file under check.

    `kind` is write, step (an optimizer's); one of those that raise no error: data, shared, unchecked; or an event:
    leaf, multi-view, expanded, no-grad-view, out, no-gain, no-derivative, unknown-op, stale, argument, lost, hidden.
    `at` is where the finding stands; `write` where the change itself is made, when that is inside a call made `at`.
    `saves` are in the order of execution; `cause` is the place that made an event possible.
    """

    __slots__ = (
        "asked_for",
        "at",
        "bare",
        "beneath",
        "cause",
        "confidence",
        "given",
        "kind",
        "layer",
        "meant",
        "op",
        "overruled",
        "passed",
        "saves",
        "sharing",
        "unrecorded",
        "used",
        "versions",
        "write",
        "writes",
    )

    def __init__(self, kind: str, at: ast.AST, op: str, confidence: int) -> None:
        self.kind = kind
        self.at = at
        self.op = op
        self.confidence = confidence
        self.saves: list[SavedAt] = []
        #: only an argument may bring gradients; `bare`: and the function works on no module
        self.given = self.bare = False
        #: a tensor brings gradients that the code made with `requires_grad=True`, to differentiate by it
        self.asked_for = False
        #: why a second look lowered its confidence
        self.overruled = ""
        self.write: Place | None = None
        #: where the layer was built that makes the change
        self.layer: Place | None = None
        #: functions of other files, called at `at`, that contain all its places as well
        self.beneath: tuple[FunctionSource, ...] = ()
        #: how the call reaches the tensor: (argument index, name) or (-1, "Class.attribute")
        self.passed: tuple[int, str] | None = None
        #: a declared function writes the tensor, and autograd does not record that
        self.unrecorded = False
        #: the event stands at a use of a value that was written before
        self.used = False
        #: all such writes under the same call
        self.writes: list[Place] = []
        self.cause: Place | None = None
        #: the version before the write and after it, if all writes of the storage are in sight
        self.versions: tuple[int, int] | None = None
        #: for an argument: the function is plainly meant to write it
        self.meant = False
        #: what was observed of the tensor at each execution of the write
        self.sharing: list[Sharing] = []

    def join(self, other: Finding) -> None:
        """Merges another finding at the same place: the one with the higher confidence counts."""
        if other.confidence > self.confidence:
            self.confidence, self.given, self.bare = other.confidence, other.given, other.bare
        elif other.confidence == self.confidence:
            self.given, self.bare = self.given and other.given, self.bare and other.bare
            self._add_saves(other.saves)

    def is_saved_in(self, node: ast.AST) -> bool:
        """Whether what is written is saved by code below a node, or called from there, and not in an earlier round."""
        within = {*walk(node)}
        return any(place.at in within for s in self.saves if not s.again for place in s.place.stack())

    def is_shown(self) -> bool:
        """Whether it is reported if no notes are asked for."""
        return self.confidence >= LIKELY and self.kind not in ("no-gain", "hidden") and not self.meant

    def _add_saves(self, saves: list[SavedAt]) -> None:
        """Adds the saves of another finding that the same write spoils."""
        known = {(s.place.at, s.node, s.attr): s for s in self.saves}
        for saved in saves:
            same = known.get((saved.place.at, saved.node, saved.attr))
            if same is None:
                self.saves.append(saved)
            elif same.confidence < saved.confidence:
                self.saves[self.saves.index(same)] = saved
        self.saves.sort(key=lambda s: -s.confidence)

    def key(self) -> tuple[object, ...]:
        family = "write" if self.kind == "step" else "data" if self.kind in SILENT else self.kind
        return (family, *start_of(self.at))
