"""The report of `confirm`: each finding with its verdict as soon as that is known, in the forms that allow it."""

from __future__ import annotations

import copy
import json
import os
import sys
from typing import TYPE_CHECKING

from . import output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model import Diagnostic
    from ..project.discovery import Target

#: What a person or a program reads from top to bottom; the others are one document.
_STREAMED = ("full", "concise", "json-lines", "github")
FORMS = ("full", "concise", "json", "json-lines", "github", "sarif")
#: What a run has not shown to be wrong stands.
CLEARED = ("refuted", "spurious")
STATUSES = ("confirmed", "refuted", "spurious", "inconclusive")


class Report:
    """What is written about findings while they get their verdicts, and what is left to write when all have."""

    def __init__(
        self, form: str, findings: Sequence[Diagnostic], targets: Sequence[Target], filename: str | None
    ) -> None:
        from ..report.source import Sources
        from ..report.style import Style

        self._form = form
        self._findings = findings
        self._roots = {target.filename: target.settings.root for target in targets}
        self._filename = filename
        self._sources = Sources()
        self._style = Style(filename is None and output.has_colour(sys.stdout))
        self._records: list[dict[str, Any]] | None = None
        self._written: set[int] = set()
        self._text = ""
        self.verdicts: dict[int, dict[str, Any]] = {}

    def add(self, index: int, verdict: dict[str, Any]) -> None:
        """Takes in a verdict, and writes the finding where that can be done now."""
        self.verdicts[index] = verdict
        if self._form in _STREAMED:
            self._write(index)
        if sys.stderr.isatty():
            print(f"ran {len(self.verdicts)} of {len(self._findings)}", end="", file=sys.stderr, flush=True)

    def at(self, stage: str) -> None:
        """Tells on a terminal what is being run."""
        if sys.stderr.isatty():
            done = f"ran {len(self.verdicts)} of {len(self._findings)}"
            print(f"\r\x1b[K{done}: {stage}", end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """Writes what is not written yet: findings without a verdict, and forms that are one document."""
        for index in range(len(self._findings)):
            if self._form in _STREAMED and index not in self._written:
                self._write(index)
        if self._form == "json":
            rows = [self._row(index) for index in range(len(self._findings))]
            self._text = json.dumps(rows, indent=2) + "\n"
        elif self._form == "sarif":
            self._text = self._sarif()
        self._wipe()
        if self._text or self._filename is not None:
            output.write(self._text, self._filename)

    def _write(self, index: int) -> None:
        self._written.add(index)
        said = self._said(index)
        if self._filename is not None:
            self._text += said
            return
        self._wipe()
        output.write(said, None)

    def _wipe(self) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    # -- the forms

    def _said(self, index: int) -> str:
        """One finding, in a form that is written one after the other."""
        from ..report import concise, full, github
        from ..report.style import safe

        one, verdict = self._findings[index], self.verdicts.get(index)
        if self._form == "json-lines":
            return json.dumps(self._row(index)) + "\n"
        said = "" if verdict is None else f"{verdict['status']}: {verdict['reason']}"
        if self._form == "github":
            told = copy.copy(one)
            if verdict is not None:
                told.message = f"{one.message} [{said}]"
                told.severity = "note" if verdict["status"] in CLEARED else one.severity
            return github.render([told])
        if self._form == "concise":
            line = concise.render([one], self._style).rstrip("\n")
            return f"{line} [{safe(said)}]\n" if said else f"{line}\n"
        text = full.finding(one, self._sources, self._style)
        if verdict is not None:
            rows = [one.location.end_row, *(label.location.end_row for label in one.labels)]
            margin = " " * (len(str(max(rows))) + 2) + self._style.paint("=", "frame")
            text += f"\n{margin} {self._style.paint('verdict:', 'bold')} {safe(said)}"
            given = ", ".join(f"{name}={value}" for name, value in verdict["inputs"].items())
            if given:
                text += (
                    f"\n{margin} {self._style.paint('inputs:', 'bold')} {safe(given)} on {verdict['device']}"
                )
        return text + "\n\n"

    def _row(self, index: int) -> dict[str, Any]:
        if self._records is None:
            from ..report import records

            self._records = list(records.records(self._findings, self._sources, self._root))
        return {**self._records[index], "verdict": self.verdicts.get(index)}

    def _root(self, filename: str) -> str:
        return self._roots.get(filename, os.getcwd())

    def _sarif(self) -> str:
        """As `check` writes it, each result with its verdict; what is refuted or spurious has passed."""
        from ..report import sarif

        log = json.loads(sarif.render(self._findings, self._sources, self._root))
        for index, result in enumerate(log["runs"][0]["results"]):
            verdict = self.verdicts.get(index)
            result["properties"]["verdict"] = verdict
            if verdict is not None:
                result["message"]["text"] += f" [{verdict['status']}: {verdict['reason']}]"
                if verdict["status"] in CLEARED:
                    result["kind"], result["level"] = "pass", "none"
        return json.dumps(log, indent=1) + "\n"


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
    print(f"{what} in {checked}: {', '.join(counts) or 'none of which a run decides'}.", file=sys.stderr)
    if any(
        "no inputs" in verdict["reason"] or "trials found none" in verdict["reason"]
        for verdict in verdicts.values()
    ):
        print(
            "Where no inputs are known, say them above the class or function, as in\n"
            "    # inplace-lint: inputs width=64, x=f32[2,16,64]\n"
            "or run a program of your own that gets there: inplace-lint trace train.py",
            file=sys.stderr,
        )
