"""Prints the report of `confirm`: each finding with its verdict as soon as it is known, if the format allows that."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ..report import FORMATS, entry, render
from ..report.findings import Findings
from . import output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model import Diagnostic
    from ..project.discovery import Target

STATUSES = ("confirmed", "refuted", "spurious", "inconclusive")


class Report:
    """What is written about findings while they get their verdicts, and what is left to write when all have."""

    def __init__(
        self,
        form: str,
        findings: Sequence[Diagnostic],
        targets: Sequence[Target],
        filename: str | None,
        color: str = "auto",
    ) -> None:
        roots = {target.filename: target.settings.root for target in targets}
        self.verdicts: dict[int, dict[str, Any]] = {}
        self._form = form
        self._filename = filename
        self._findings = Findings(
            findings,
            lambda filename: roots.get(filename, os.getcwd()),
            colour=output.has_colour(sys.stdout, color) and (filename is None or color == "always"),
            files=list(roots),
            verdicts=self.verdicts,
        )
        self._count = len(findings)
        self._written: set[int] = set()
        self._text = ""

    def add(self, index: int, verdict: dict[str, Any]) -> None:
        """Takes in a verdict, and writes the finding where that can be done now."""
        self.verdicts[index] = verdict
        if FORMATS[self._form].streamed:
            self._write(index)
        if sys.stderr.isatty():
            print(f"ran {len(self.verdicts)} of {self._count}", end="", file=sys.stderr, flush=True)

    def at(self, stage: str) -> None:
        """Tells on a terminal what is being run."""
        if sys.stderr.isatty():
            done = f"ran {len(self.verdicts)} of {self._count}"
            print(f"\r\x1b[K{done}: {stage}", end="", file=sys.stderr, flush=True)

    def finish(self, ended: str = "") -> None:
        """Writes what is not written yet: findings without a verdict, and formats that are one document."""
        self._findings.ended = ended
        if FORMATS[self._form].streamed:
            for index in range(self._count):
                if index not in self._written:
                    self._write(index)
        else:
            self._text = render(self._form, self._findings)
        self._wipe()
        if self._text or self._filename is not None:
            output.write(self._text, self._filename)
        output.add_summary(self._form, self._findings)

    def _write(self, index: int) -> None:
        self._written.add(index)
        said = entry(self._form, self._findings, index)
        if self._filename is not None:
            self._text += said
            return
        self._wipe()
        output.write(said, None)

    def _wipe(self) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def summarise(
    findings: Sequence[Diagnostic], verdicts: Mapping[int, dict[str, Any]], files: int, ended: str = ""
) -> None:
    """The last lines, on standard error; `ended` says what cut the run short."""
    checked = f"{files} file{'s' if files != 1 else ''}"
    if not findings:
        print(f"Nothing found in {checked}, so nothing was run.", file=sys.stderr)
        return
    counts = [
        f"{count} {status}"
        for status in STATUSES
        if (count := sum(verdict["status"] == status for verdict in verdicts.values()))
    ]
    what = f"{len(findings)} finding{'s' if len(findings) != 1 else ''}"
    if ended:
        so_far = ", ".join(counts) or "none of them run"
        print(f"{what} in {checked}; cut short by {ended} after {len(verdicts)}: {so_far}.", file=sys.stderr)
        return
    decided = f": {', '.join(counts)}" if counts else ", which no run decides"
    print(f"{what} in {checked}{decided}.", file=sys.stderr)
    if any(
        "no inputs" in verdict["reason"] or "found none" in verdict["reason"] for verdict in verdicts.values()
    ):
        print(
            "Where no inputs are known, say them above the class or function, as in\n"
            "    # inplace-lint: inputs width=64, x=f32[2,16,64]\n"
            "or run a program of your own that gets there: inplace-lint trace train.py",
            file=sys.stderr,
        )
