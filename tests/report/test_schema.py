"""The published schema of the JSON formats: what they write is what it says, field by field."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inplace_lint.report

from .samples import finding, out, verdict

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((Path(inplace_lint.report.__file__).parent / "schema.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """The schema without room for fields that it does not describe."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: closed(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        told.setdefault("additionalProperties", False)
    return told


def valid(name: str, document: object) -> None:
    schema = {"$defs": closed(SCHEMA["$defs"]), "$ref": f"#/$defs/{name}"}
    jsonschema.Draft202012Validator(schema).validate(document)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_finding_of_the_rules_cases_and_of_the_examples() -> None:
    words = "check --isolated --notes --jobs 1 --output-format json-v2 rules examples".split()
    done = subprocess.run(
        [sys.executable, "-m", "inplace_lint", *words],
        cwd=ROOT,
        capture_output=True,
        timeout=300,
        check=False,
    )
    document = json.loads(done.stdout)
    valid("json-v2", document)
    valid("json", document["findings"])
    assert document["summary"]["findings"] == len(document["findings"]) > 150
    assert sum(document["summary"]["codes"].values()) == len(document["findings"])


def test_lines_are_findings() -> None:
    for line in out("json-lines", finding(), finding(shift=3)).splitlines():
        valid("finding", json.loads(line))


def test_the_envelope_holds_the_array_of_json() -> None:
    document = json.loads(out("json-v2", finding(), finding("b.py"), files=["a.py", "b.py", "pkg/gate.py"]))
    valid("json-v2", document)
    assert document["findings"] == json.loads(out("json", finding(), finding("b.py")))
    assert document["version"] == 2
    assert document["summary"] == {
        "files": 3,
        "findings": 2,
        "errors": 2,
        "warnings": 0,
        "notes": 0,
        "fixable": {"safe": 0, "unsafe": 2},
        "silenced": 0,
        "in_baseline": 0,
        "codes": {"IPL101": 2},
    }


def test_the_envelope_says_what_was_not_checked() -> None:
    gaps = [
        finding(f"{code}.py", code=code, message=f"m {code}", labels=(), fix=None)
        for code in ("IPL000", "IPL002", "IPL003")
    ]
    document = json.loads(out("json-v2", *gaps, verdicts={}, ended="SIGTERM"))
    valid("json-v2", document)
    told = document["incomplete"]
    assert {name: [one["filename"] for one in told[name]] for name in told if name != "ended_by"} == {
        "unreadable": ["IPL000.py"],
        "failed": ["IPL002.py"],
        "cut_short": ["IPL003.py"],
    }
    assert told["cut_short"][0]["message"] == "m IPL003"
    assert told["ended_by"] == "SIGTERM"


def test_nothing_found_is_whole_too() -> None:
    document = json.loads(out("json-v2"))
    valid("json-v2", document)
    assert document["findings"] == []
    valid("json", [])


def test_verdicts() -> None:
    at = {"filename": "a.py", "location": {"row": 1, "column": 2}}
    conflict = {
        "node": "ExpBackward0",
        "attribute": "result",
        "shape": [2],
        "saved_at": at,
        "written_at": None,
    }
    conflict |= {"versions": [0, 1], "gradient_error": 0.5}
    peak = {"before": 9, "after": None, "kept": [1, None], "size": 8, "method": "cpu", "device": None}
    peak |= {"dtype": "f32", "growth": [2.0, None]}
    proof = {"trials": [{"name": "as it is"}], "worst_error": 0.0, "tolerance": 1e-10}
    verdicts = {
        0: verdict(conflicts=[conflict]),
        1: verdict("refuted", "it is the same", inputs={}, device=None, peak=peak, proof=proof),
    }
    found = [finding(), finding("b.py"), finding("c.py")]
    document = json.loads(out("json-v2", *found, verdicts=verdicts))
    valid("json-v2", document)
    assert document["summary"]["verdicts"] == {"confirmed": 1, "refuted": 1}
    assert [one["verdict"] and one["verdict"]["status"] for one in document["findings"]] == [
        "confirmed",
        "refuted",
        None,
    ]
