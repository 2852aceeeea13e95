"""SARIF 2.1.0, which code scanning reads: each finding with its related places and their order in time."""

from __future__ import annotations

import json
import os

from .. import __version__
from ..checks import registry
from ..model import Diagnostic, Fix, Location
from .records import fingerprints
from .source import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(diagnostics: Sequence[Diagnostic], sources: Sources, root_of: Callable[[str], str]) -> str:
    """One run of the tool as a SARIF log."""
    prints = fingerprints(diagnostics, sources, root_of)
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "inplace-lint",
                        "semanticVersion": __version__,
                        "rules": [_rule(rule.code) for rule in registry.RULES],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, name) for one, name in zip(diagnostics, prints, strict=True)],
            }
        ],
    }
    return json.dumps(log, indent=1) + "\n"


def _rule(code: str) -> dict[str, Any]:
    rule = registry.find(code)
    assert rule is not None
    with open(registry.page(rule), encoding="utf-8") as file:
        text = file.read()
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
    codes = [rule.code for rule in registry.RULES]
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity,
        "message": {"text": diagnostic.message},
        "locations": [_location(diagnostic.location)],
        "partialFingerprints": {"inplaceLint/v1": fingerprint},
        "properties": {"confidence": diagnostic.confidence},
    }
    if diagnostic.fix is not None:
        result["fixes"] = [_fix(diagnostic.fix, diagnostic.location.filename)]
    if diagnostic.labels:
        steps = [(label.location, label.message) for label in diagnostic.labels]
        result["relatedLocations"] = [
            {"id": number, **_location(place, message)} for number, (place, message) in enumerate(steps, 1)
        ]
        # Labels come in the order of execution, and the finding stands at the write, which comes last.
        steps.append((diagnostic.location, diagnostic.caption or diagnostic.message))
        flow = [{"location": _location(place, message)} for place, message in steps]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    return result


def _fix(fix: Fix, filename: str) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _location(edit.location)["physicalLocation"]["region"],
            "insertedContent": {"text": edit.content},
        }
        for edit in fix.edits
    ]
    artifact = _location(Location(filename, 1, 1, 1, 1))["physicalLocation"]["artifactLocation"]
    return {
        "description": {"text": f"{fix.message} ({fix.applicability} fix)"},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
    }


def _location(place: Location, message: str = "") -> dict[str, Any]:
    from urllib.parse import quote

    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(os.fsencode(place.filename.replace("\\", "/")))},
            "region": {
                "startLine": place.row,
                "startColumn": place.column,
                "endLine": place.end_row,
                "endColumn": place.end_column,
            },
        }
    }
    if message:
        location["message"] = {"text": message}
    return location
