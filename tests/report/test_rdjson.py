"""Reviewdog's format: the fields of its schema, columns in bytes, and suggestions that can be taken whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inplace_lint.checks import registry
from inplace_lint.model import Edit, Fix, Location

from .samples import finding, out, verdict

POSITION = {"type": "object", "properties": {"line": {"type": "integer"}, "column": {"type": "integer"}}}
RANGE = {"type": "object", "properties": {"start": POSITION, "end": POSITION}, "additionalProperties": False}
LOCATION = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "range": RANGE},
    "additionalProperties": False,
}

#: What this report uses of reviewdog's schema of a DiagnosticResult.
RESULT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "source": {"type": "object", "properties": {"name": {"type": "string"}}},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "message": {"type": "string"},
                    "location": LOCATION,
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": {
                        "type": "object",
                        "properties": {"value": {"type": "string"}, "url": {"type": "string"}},
                        "additionalProperties": False,
                    },
                    "related_locations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"message": {"type": "string"}, "location": LOCATION},
                            "additionalProperties": False,
                        },
                    },
                    "suggestions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"range": RANGE, "text": {"type": "string"}},
                            "additionalProperties": False,
                        },
                    },
                },
            },
        },
    },
}


def told(*diagnostics: Any, **more: Any) -> list[dict[str, Any]]:
    jsonschema = pytest.importorskip("jsonschema")
    read = json.loads(out("rdjson", *diagnostics, **more))
    jsonschema.Draft202012Validator(RESULT).validate(read)
    assert read["source"] == {"name": "inplace-lint"}
    diagnostics_: list[dict[str, Any]] = read["diagnostics"]
    return diagnostics_


def test_a_finding_with_its_places() -> None:
    (one,) = told(finding())
    assert one["message"] == "`y` is changed: 100%\nhelp: use `y = y + 1`"
    start, end = {"line": 3, "column": 1}, {"line": 3, "column": 7}
    assert one["location"] == {"path": "pkg/gate.py", "range": {"start": start, "end": end}}
    assert (one["severity"], one["code"]) == ("ERROR", {"value": "IPL101"})
    assert one["related_locations"][0]["location"]["range"]["start"] == {"line": 2, "column": 5}


def test_nothing_found() -> None:
    assert told() == []


def test_columns_are_bytes() -> None:
    (one,) = told(finding(location=Location("pkg/gate.py", 3, 5, 3, 7)), text="x = f()\ny = g()\nβ注 = 1\n")
    assert [one["location"]["range"][end]["column"] for end in ("start", "end")] == [8, 10]


def edits(*places: tuple[str, int, int, int, int]) -> Fix:
    return Fix("safe", "m", tuple(Edit(text, Location("pkg/gate.py", *place)) for text, *place in places))


def test_a_suggestion_is_whole_lines() -> None:
    (one,) = told(finding(fix=edits(("y = y + 1", 3, 1, 3, 7))))
    assert one["suggestions"] == [
        {
            "range": {"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 7}},
            "text": "y = y + 1",
        }
    ]


def test_edits_that_belong_together_are_one_suggestion() -> None:
    (one,) = told(finding(fix=edits(("import math\n", 1, 1, 1, 1), ("y = y + 1", 3, 1, 3, 7))))
    assert one["suggestions"] == [
        {
            "range": {"start": {"line": 1, "column": 1}, "end": {"line": 3, "column": 7}},
            "text": "import math\nx = f()\ny = torch.sigmoid(x)\ny = y + 1",
        }
    ]


def test_edits_far_from_each_other_make_no_suggestion() -> None:
    text = "x = f()\n" + "\n" * 60 + "y += 1\n"
    (one,) = told(finding(fix=edits(("import math\n", 1, 1, 1, 1), ("y = y + 1", 62, 1, 62, 7))), text=text)
    assert "suggestions" not in one


def test_a_rule_has_an_address_only_where_pages_are_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SITE", "https://example.org/rules")
    assert told(finding())[0]["code"]["url"] == "https://example.org/rules/IPL101-saved-result-overwritten"


def test_what_a_run_has_cleared_is_information() -> None:
    (one,) = told(finding(), verdicts={0: verdict("refuted", "nothing went wrong")})
    assert one["severity"] == "INFO"
    assert "[refuted: nothing went wrong]" in one["message"]
