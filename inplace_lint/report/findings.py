"""Collects the findings of a run, with what all report formats need of them, as plain data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..model import Diagnostic, Location
from .source import Sources
from .style import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    Verdict = Mapping[str, Any]

#: What a run of the code has not shown to be wrong stands.
CLEARED = ("refuted",)


class Findings:
    """What was found in one run, in the order in which it is shown.

    `root_of` gives the project root of a file; `texts` holds the sources that are not on disk, by file name; `files`
    names all files that were checked. `verdicts` are those of `confirm` by the finding's number; None where nothing
    was run. `ended` says what cut the run short. `silenced` counts the findings that comments keep back, `listed` those
    that a baseline does. `known` are the numbers of those that a baseline lists, in a format that shows them; None
    without a baseline.
    """

    def __init__(
        self,
        diagnostics: Sequence[Diagnostic],
        root_of: Callable[[str], str] = lambda filename: os.getcwd(),
        texts: Mapping[str, bytes] | None = None,
        colour: bool = False,
        files: Sequence[str] = (),
        verdicts: Mapping[int, Verdict] | None = None,
        ended: str = "",
        silenced: int = 0,
        known: Collection[int] | None = None,
        listed: int = 0,
    ) -> None:
        self.listed = listed
        self.known = known
        self.diagnostics = diagnostics
        self.root_of = root_of
        self.sources = Sources(texts)
        self.style = Style(colour)
        self.files = files
        self.verdicts = verdicts
        self.ended = ended
        self.silenced = silenced
        self._fingerprints: list[str] | None = None
        self._remarks: dict[str, int] | None = None

    def remark(self, index: int) -> str:
        """What else is worth knowing of a finding, told once a run: at the first finding that it is said of."""
        said = self.diagnostics[index].remark
        if said and self._remarks is None:
            self._remarks = {}
            for number, one in enumerate(self.diagnostics):
                self._remarks.setdefault(one.remark, number)
        return said if self._remarks is not None and self._remarks.get(said) == index else ""

    @property
    def fingerprints(self) -> list[str]:
        """A name for each finding that survives moved lines."""
        if self._fingerprints is None:
            from .records import fingerprints

            self._fingerprints = fingerprints(self.diagnostics, self.sources, self.root_of)
        return self._fingerprints

    @property
    def kept_back(self) -> str:
        """How many findings are not shown, and why, in words; empty where all are."""
        counts = [(self.silenced, "silenced by comments"), (self.listed, "listed in the baseline")]
        return ", ".join(f"{count} {why}" for count, why in counts if count)

    def verdict(self, index: int) -> Verdict | None:
        """What a run has shown of a finding, if there was one."""
        return None if self.verdicts is None else self.verdicts.get(index)

    def judged(self, index: int) -> str:
        """The verdict on a finding in words: `confirmed: PyTorch raises …`; empty where there is none."""
        verdict = self.verdict(index)
        return "" if verdict is None else f"{verdict['status']}: {verdict['reason']}"

    def message(self, index: int) -> str:
        """What a finding says, with its verdict, in one line."""
        text, judged = self.diagnostics[index].message, self.judged(index)
        return f"{text} [{judged}]" if judged else text

    def severity(self, index: int) -> str:
        """How bad a finding is: what a run has cleared is a note."""
        verdict = self.verdict(index)
        return (
            "note"
            if verdict is not None and verdict["status"] in CLEARED
            else self.diagnostics[index].severity
        )


def advice(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    """The lines of advice: the fix in place of general words, or those words and why there is no fix."""
    plan = diagnostic.plan
    if plan is not None and diagnostic.fix_refused is None:
        differences = "; ".join(plan.differences)
        kind = f"{plan.applicability} fix: {differences}" if differences else f"{plan.applicability} fix"
        lines = [("help:", f"{plan.message} ({kind})")]
    else:
        lines = [("help:", diagnostic.help)] if diagnostic.help else []
    if diagnostic.fix_refused:
        lines.append(("note:", f"no automatic fix: {diagnostic.fix_refused}"))
    return lines


class Step:
    """One thing that happens on the way of a finding: what, where, and in which words, if any.

    `own`: it is the finding's own place.
    """

    __slots__ = ("location", "message", "own", "role")

    def __init__(self, role: str, location: Location, message: str, own: bool) -> None:
        self.role = role
        self.location = location
        self.message = message
        self.own = own


#: What happens at the place of a finding, by the beginning of its code.
_ROLES = {"IPL0": "here", "IPL1": "write", "IPL2": "write"}


def steps(diagnostic: Diagnostic) -> list[Step]:
    """All places of a finding in the order of execution: the save before the write."""
    roles = {label.role for label in diagnostic.labels}
    if roles & {"scores", "values"}:
        role = "softmax"
    elif diagnostic.code == "IPL204":
        role = "read"
    else:
        role = _ROLES.get(diagnostic.code[:4], "call")
    own = Step(role, diagnostic.location, diagnostic.caption, True)
    others = [Step(one.role, one.location, one.message, False) for one in diagnostic.labels]
    # A finding stands at what comes last, but that of an attention before the product with the values.
    before = [step for step in others if step.role != "values"]
    return [*before, own, *(step for step in others if step.role == "values")]
