"""SARIF 2.1.0, which code scanning reads: each finding with its related places and their order in time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import __version__
from ..checks import registry
from ..model import Fix, Location
from .findings import CLEARED, steps
from .layout import mapping
from .places import readable, uri

if TYPE_CHECKING:
    from typing import Any

    from ..model import Diagnostic
    from .findings import Findings

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: What relative paths are relative to: the directory in which the tool was run.
BASE = "SRCROOT"


def document(findings: Findings) -> str:
    """One run of the tool as a SARIF log."""
    indices = {rule.code: index for index, rule in enumerate(registry.every())}
    here = uri(os.getcwd())
    run = {
        "tool": {
            "driver": {
                "name": "inplace-lint",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rule.code) for rule in registry.every()],
            }
        },
        "invocations": [_invocation(findings)],
        "originalUriBaseIds": {BASE: {"uri": here if here.endswith("/") else f"{here}/"}},
        "columnKind": "unicodeCodePoints",
    }
    rows = (_result(findings, index, indices) for index in range(len(findings.diagnostics)))
    head = f'"$schema": "{SCHEMA}", "version": "2.1.0"'
    return f'{{{head}, "runs": [{mapping(run, "results", rows)}]}}\n'


#: What a rule is about, by the beginning of its code.
_TAGS = {"IPL0": "inplace-lint", "IPL3": "performance", "IPL4": "performance"}


def _rule(code: str) -> dict[str, Any]:
    rule = registry.find(code)
    assert rule is not None
    text = registry.text_of(rule)
    described = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": " ".join(_section(text, "What it does").split())},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": [_TAGS.get(code[:4], "correctness"), "pytorch"],
            "problem.severity": "recommendation" if rule.severity == "note" else rule.severity,
        },
    }
    address = registry.published(code)
    return {**described, "helpUri": address} if address else described


def _section(page: str, head: str) -> str:
    """What stands in a rule's page below a heading."""
    return page.partition(f"## {head}\n")[2].partition("\n## ")[0]


def _invocation(findings: Findings) -> dict[str, Any]:
    """Whether the run did all that it should, and where it did not."""
    failed = [one for one in findings.diagnostics if one.code == "IPL002"]
    notes = [
        {
            "level": "error",
            "message": {"text": readable(one.message)},
            "locations": [_location(one.location)],
            "associatedRule": {"id": one.code},
        }
        for one in failed
    ]
    if findings.ended:
        notes.append({"level": "error", "message": {"text": f"cut short by {findings.ended}"}})
    told: dict[str, Any] = {"executionSuccessful": not notes}
    return {**told, "toolExecutionNotifications": notes} if notes else told


def _result(findings: Findings, index: int, indices: dict[str, int]) -> dict[str, Any]:
    diagnostic = findings.diagnostics[index]
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": indices[diagnostic.code],
        "level": diagnostic.severity,
        "message": {"text": readable(findings.message(index))},
        "locations": [_location(diagnostic.location)],
        "partialFingerprints": {"inplaceLint/v1": findings.fingerprints[index]},
        "properties": {"confidence": diagnostic.confidence},
    }
    if diagnostic.fix is not None:
        result["fixes"] = [_fix(diagnostic.fix, diagnostic.location.filename)]
    if diagnostic.labels:
        result |= _flow(diagnostic)
    if findings.known is not None:
        result["baselineState"] = "unchanged" if index in findings.known else "new"
    if findings.verdicts is not None:
        verdict = findings.verdict(index)
        result["properties"]["verdict"] = verdict
        if verdict is not None and verdict["status"] in CLEARED:
            result["kind"], result["level"] = "pass", "none"
    return result


def _flow(diagnostic: Diagnostic) -> dict[str, Any]:
    """The other places, and all of them in the order of execution."""
    flow = [
        {
            "location": _location(step.location, step.message or diagnostic.message),
            "executionOrder": number,
            "kinds": [step.role],
            "importance": "essential" if step.own or step.role == "save" else "important",
        }
        for number, step in enumerate(steps(diagnostic), 1)
    ]
    return {
        "relatedLocations": [
            {"id": number, **_location(label.location, label.message)}
            for number, label in enumerate(diagnostic.labels, 1)
        ],
        "codeFlows": [{"threadFlows": [{"locations": flow}]}],
    }


def _fix(fix: Fix, filename: str) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(edit.location), "insertedContent": {"text": readable(edit.content)}}
        for edit in fix.edits
    ]
    return {
        "description": {"text": readable(f"{fix.message} ({fix.applicability} fix)")},
        "artifactChanges": [{"artifactLocation": _artifact(filename), "replacements": replacements}],
    }


def _location(place: Location, message: str = "") -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(place.filename), "region": _region(place)}
    }
    if message:
        location["message"] = {"text": readable(message)}
    return location


def _artifact(filename: str) -> dict[str, str]:
    address = uri(filename)
    return {"uri": address} if os.path.isabs(filename) else {"uri": address, "uriBaseId": BASE}


def _region(place: Location) -> dict[str, int]:
    return {
        "startLine": place.row,
        "startColumn": place.column,
        "endLine": place.end_row,
        "endColumn": place.end_column,
    }
