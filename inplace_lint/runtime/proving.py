"""Proves fixes before they are applied: runs original and fixed code in a child process, and records the outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..fixes.text import SourceText
from ..model import Diagnostic, Edit
from ..project import Project
from ..report.sizes import size_of
from .child import Children, Job, Outcome
from .enclosing import enclosing, imported_as

#: Factor by which a fix may raise the peak if it saves less for backward.
_LITTLE = 1.1
COMPARE = "inplace_lint.runtime.rewrites:compare"


class Prover:
    """Proves fixes one by one and keeps the proofs. `projects` maps each file to its project."""

    def __init__(
        self,
        children: Children,
        projects: Mapping[str, Project],
        factories: Mapping[str, str] | None = None,
        captured: Mapping[str, Any] | None = None,
    ) -> None:
        self._children = children
        self._projects = projects
        self._factories = dict(factories or {})
        self._captured = dict(captured or {})
        self.proofs: list[dict[str, Any]] = []

    def judge(self, finding: Diagnostic, before: bytes, after: bytes, edits: Sequence[Edit]) -> str | None:
        """Returns why the fix from `before` to `after` must not be applied, as a clause; None if it is proved."""
        job = comparison(
            finding,
            SourceText(before).text,
            SourceText(after).text,
            edits,
            self._projects[finding.location.filename],
            self._factories,
            self._captured,
        )
        ((_, outcome),) = self._children.run([job])
        answer = answered(outcome)
        if answer["proved"] and finding.code.startswith("IPL4") and (more := _needs_more(answer["peak"])):
            answer |= {"proved": False, "reason": more}
        self.proofs.append(_entry(finding, answer, SourceText(before).text))
        return None if answer["proved"] else f"not proved: {answer['reason']}"

    def record(self) -> str:
        """Returns all proofs, including failed ones, as JSON."""
        return json.dumps({"version": 1, "proofs": self.proofs}, indent=2) + "\n"


def comparison(
    finding: Diagnostic,
    before: str,
    after: str,
    edits: Sequence[Edit],
    project: Project,
    factories: Mapping[str, str],
    captured: Mapping[str, Any],
) -> Job:
    """Returns the job that compares the blocks which a fix touches, in both forms."""
    spans = [(edit.location.row, edit.location.end_row) for edit in edits]
    blocks = list(
        dict.fromkeys(enclosing(before, row) for row in [finding.location.row, *(row for row, _ in spans)])
    )
    # An added import belongs to no block. If the fix touches no block at all, the whole file is compared.
    named = [names for names in blocks if names]
    changed = [span for span in spans if not named or enclosing(before, span[0])]
    return Job(
        COMPARE,
        {
            **imported_as(finding.location.filename, project),
            "before": before,
            "after": after,
            "changed": changed,
            "blocks": named or [()],
            "factories": dict(factories),
            "captured": dict(captured),
        },
    )


def answered(outcome: Outcome) -> dict[str, Any]:
    """Returns the answer of a comparison; for a failed job an answer that is not proved, with the reason."""
    if outcome.kind is None:
        return dict(outcome.result)
    stage = "" if outcome.kind == "start" else f" (in {outcome.stage})"
    return {
        "proved": False,
        "reason": f"{outcome.text}{stage}",
        "differs": False,
        "only_without_keys": False,
        "inputs": {},
        "source": None,
        "proof": None,
        "peak": None,
        "unmeasured": "",
        "is_length": False,
        "torch": None,
    }


def _needs_more(peak: Mapping[str, Any] | None) -> str:
    """Returns why a memory fix is not worth making, as a clause; empty if it is, or if the peak is unknown.

    A slightly higher peak is accepted if less is saved for backward, since that adds up over a model's layers.
    """
    if peak is None:
        return ""
    before, after = peak["before"], peak["after"]
    kept, left = peak["kept"]
    if after <= before or (left < kept and after <= _LITTLE * before):
        return ""
    at = f" at S = {peak['size']}" if peak["size"] else ""
    how = "predicted" if peak["method"] == "predict" else "measured"
    return f"it needs more memory: {size_of(after)} in place of {size_of(before)}{at} ({how})"


def _entry(finding: Diagnostic, answer: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Returns the entry for the file of proofs. It quotes the line, as earlier fixes may have moved the row."""
    place = finding.location
    lines = text.splitlines()[place.row - 1 : place.row]
    return {
        "code": finding.code,
        "name": finding.name,
        "filename": place.filename,
        "location": {"row": place.row, "column": place.column},
        "line": lines[0].strip() if lines else "",
        "fix": None if finding.plan is None else finding.plan.told(),
        "applied": answer["proved"],
        "reason": answer["reason"] or None,
        "inputs": answer["inputs"],
        "inputs_from": answer["source"],
        "torch": answer["torch"],
        **{key: answer[key] for key in ("proof", "peak")},
    }
