"""Defines a finding: a hazard or event at a place in the checked file, with its saves, causes and confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.nodes import start_of

if TYPE_CHECKING:
    import ast

    from ..interp.frames import Place
    from ..interp.heap import Saved
    from ..interp.sharing import Sharing
    from ..syntax.module import FunctionSource

POSSIBLE, LIKELY, CERTAIN = 0, 1, 2
#: Kinds of hazards that raise no error.
SILENT = frozenset({"data", "shared", "unchecked"})
#: Kinds of events that raise nothing: what else is found at their place goes first.
HARMLESS = frozenset({"no-gain", "no-derivative", "stale", "argument", "lost", "hidden"})
#: Kinds that no caller knows more about.
LOCAL = frozenset({"stale", "argument", "lost", "hidden"})
#: Kinds of events that raise only where gradients are recorded.
REFUSED = ("leaf", "multi-view", "no-grad-view", "out")


class SavedAt:
    """One save that a finding speaks of."""

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
        "at",
        "bare",
        "beneath",
        "cause",
        "confidence",
        "given",
        "kind",
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
        #: nothing but an argument says that there are gradients; and one of a plain function
        self.given = self.bare = False
        #: why a second look took it for less sure
        self.overruled = ""
        self.write: Place | None = None
        #: functions of other files that hold all its places as well
        self.beneath: tuple[FunctionSource, ...] = ()
        #: what the call was given of that: the place among its arguments and the name, or `Class.attribute`
        self.passed: tuple[int, str] | None = None
        #: a declared function writes it, and autograd takes no notice of that
        self.unrecorded = False
        #: an event at a use of what was written before
        self.used = False
        #: every such change under the same call
        self.writes: list[Place] = []
        self.cause: Place | None = None
        #: the version before the write and after it, where all writes of the storage are in sight
        self.versions: tuple[int, int] | None = None
        #: of an argument: the function is plainly there to write it
        self.meant = False
        #: what was seen of the tensor at each pass through the write
        self.sharing: list[Sharing] = []

    def join(self, other: Finding) -> None:
        """The same place was found on another way: the surer one counts."""
        if other.confidence > self.confidence:
            self.confidence, self.given, self.bare = other.confidence, other.given, other.bare
        elif other.confidence == self.confidence:
            self.given, self.bare = self.given and other.given, self.bare and other.bare
            self._add_saves(other.saves)

    def is_shown(self) -> bool:
        """Whether it is reported where nobody asked for notes."""
        return self.confidence >= LIKELY and self.kind not in ("no-gain", "hidden") and not self.meant

    def _add_saves(self, saves: list[SavedAt]) -> None:
        """What another run saw saved that the same write spoils."""
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
