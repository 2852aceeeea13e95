"""Defines a finding and its parts, as plain slotted classes: importing `dataclasses` would double the start-up time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

#: From weakest to strongest; a filter keeps what is at or above its level.
CONFIDENCES = ("possible", "likely", "certain")
SEVERITIES = ("note", "warning", "error")


def at_least(value: str, floor: str, scale: tuple[str, ...]) -> bool:
    """Whether `value` stands at or above `floor` on `scale` (CONFIDENCES or SEVERITIES)."""
    return scale.index(value) >= scale.index(floor)


class Location:
    """A span of a file. Rows and columns start at 1, columns count characters, the end is exclusive.

    A finding in a notebook is placed in a `cell` (from 1). Formats that need places in the notebook's JSON text make
    those, and keep the place in the cell as `within`.
    """

    __slots__ = ("cell", "column", "end_column", "end_row", "filename", "row", "within")

    def __init__(
        self,
        filename: str,
        row: int,
        column: int,
        end_row: int,
        end_column: int,
        cell: int | None = None,
        within: Location | None = None,
    ) -> None:
        self.filename = filename
        self.row = row
        self.column = column
        self.end_row = end_row
        self.end_column = end_column
        self.cell = cell
        self.within = within

    @property
    def path(self) -> str:
        """What the row counts in: a file, or a cell of one."""
        return self.filename if self.cell is None else f"{self.filename}:cell {self.cell}"

    def key(self) -> tuple[str, int, int, int, int]:
        """Equal for equal places; also the order in which findings are shown."""
        return (self.filename, self.row, self.column, self.end_row, self.end_column)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"{self.path}:{self.row}:{self.column}"


class Label:
    """Another place that a finding mentions, with what happened there.

    `role` is one of save, write, alias, call, scores, softmax, values.
    """

    __slots__ = ("location", "message", "role")

    def __init__(self, role: str, message: str, location: Location) -> None:
        self.role = role
        self.message = message
        self.location = location


class Edit:
    """Replaces the text at `location` (in the original text) by `content`."""

    __slots__ = ("content", "location")

    def __init__(self, content: str, location: Location) -> None:
        self.content = content
        self.location = location


class Fix:
    """Edits that belong together. `applicability` is safe or unsafe; `message` says what the fix does and costs."""

    __slots__ = ("applicability", "edits", "message")

    def __init__(self, applicability: str, message: str, edits: tuple[Edit, ...]) -> None:
        self.applicability = applicability
        self.message = message
        self.edits = edits


class Refused(Exception):
    """A fix cannot be made; the text says why, as a clause: "`y` is read later through `x`"."""


class FixPlan:
    """A fix that is known to apply, whose edits are made only when they are shown or applied.

    `applicability` is safe or unsafe; `message` says what to write instead; `differences` lists how the fixed program
    may behave differently (empty for a safe fix). `leads_to`: codes of findings that the written code may have, which
    are lesser than the one that goes; any other new finding refuses the fix.
    """

    __slots__ = ("applicability", "differences", "leads_to", "message")

    def __init__(self, applicability: str, message: str, differences: tuple[str, ...] = ()) -> None:
        self.applicability = applicability
        self.message = message
        self.differences = differences
        self.leads_to: tuple[str, ...] = ()

    def edits(self, source: str) -> tuple[Edit, ...]:
        """The edits, disjoint and sorted, in the coordinates of `source`: the file's text with its own line ends.

        Raises Refused if the text is not the one that the plan was made for.
        """
        raise NotImplementedError

    def serves(self) -> object:
        """A key for what the fix achieves: of fixes with equal keys, the first may make the others needless.

        None if the fix serves only its own finding.
        """
        return None

    def told(self) -> str:
        """What to write instead, and how the program may then differ."""
        return "; ".join((self.message, *self.differences))


class Diagnostic:
    """One finding: a broken rule, its place, further places (`labels`), severity and confidence.

    `caption` is the short text under the frame's main span (the message stands in the headline); `help` is one line of
    advice, or empty. `plan` is the fix before its edits are made, `fix` has its edits, once they were asked for, and
    `fix_refused` is the reason why there is none. `remark` is anything else worth knowing.
    """

    __slots__ = (
        "caption",
        "code",
        "confidence",
        "fix",
        "fix_refused",
        "help",
        "labels",
        "location",
        "message",
        "name",
        "plan",
        "remark",
        "severity",
    )

    def __init__(
        self,
        code: str,
        name: str,
        severity: str,
        confidence: str,
        message: str,
        location: Location,
        labels: tuple[Label, ...] = (),
        caption: str = "",
        help: str = "",
        fix: Fix | None = None,
        fix_refused: str | None = None,
        plan: FixPlan | None = None,
        remark: str = "",
    ) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.confidence = confidence
        self.message = message
        self.location = location
        self.labels = labels
        self.caption = caption
        self.help = help
        self.fix = fix
        self.fix_refused = fix_refused
        self.plan = plan
        self.remark = remark

    def __repr__(self) -> str:
        return f"<{self.code} at {self.location}: {self.message}>"

    def replace(self, **changes: object) -> Diagnostic:
        """A copy with some values changed."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return Diagnostic(**{**values, **changes})


class Rule:
    """A rule as rules/<CODE>-<name>/rule.toml defines it: code, kebab-case name, highest severity, first version."""

    __slots__ = ("code", "name", "severity", "since", "summary")

    def __init__(self, code: str, name: str, severity: str, since: str, summary: str) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.since = since
        self.summary = summary
