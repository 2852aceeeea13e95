"""What programs read: JSON, JSON lines, SARIF, GitHub's annotations, the concise lines; and fingerprints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.checks import registry
from inplace_lint.model import Diagnostic, Edit, Fix, Label, Location
from inplace_lint.report import FORMATS, render
from inplace_lint.report.records import fingerprints
from inplace_lint.report.source import Sources

GATE = "x = f()\ny = torch.sigmoid(x)\ny += 1\n"


def finding(file: str = "pkg/gate.py", shift: int = 0, severity: str = "error") -> Diagnostic:
    return Diagnostic(
        "IPL101",
        "saved-result-overwritten",
        severity,
        "likely",
        "`y` is changed: 100%",
        Location(file, 3 + shift, 1, 3 + shift, 7),
        (Label("save", "SigmoidBackward0 saves this result", Location(file, 2 + shift, 5, 2 + shift, 21)),),
        "add_ moves its version",
        "use `y = y + 1`",
        Fix("unsafe", "one more temporary", (Edit("y = y + 1", Location(file, 3, 1, 3, 7)),)),
    )


def out(name: str, *found: Diagnostic, text: str = GATE, root: str = ".") -> str:
    return render(name, found, lambda _: root, {one.location.filename: text.encode() for one in found})


def test_every_field_of_json() -> None:
    (record,) = json.loads(out("json", finding()))
    assert len(record.pop("fingerprint")) == 32
    assert record.pop("url").endswith("/IPL101-saved-result-overwritten/README.md")
    assert record == {
        "code": "IPL101",
        "name": "saved-result-overwritten",
        "severity": "error",
        "confidence": "likely",
        "message": "`y` is changed: 100%",
        "filename": "pkg/gate.py",
        "location": {"row": 3, "column": 1},
        "end_location": {"row": 3, "column": 7},
        "labels": [
            {
                "role": "save",
                "message": "SigmoidBackward0 saves this result",
                "filename": "pkg/gate.py",
                "location": {"row": 2, "column": 5},
                "end_location": {"row": 2, "column": 21},
            }
        ],
        "fix": {
            "applicability": "unsafe",
            "message": "one more temporary",
            "edits": [
                {
                    "content": "y = y + 1",
                    "location": {"row": 3, "column": 1},
                    "end_location": {"row": 3, "column": 7},
                }
            ],
        },
        "fix_refused": None,
    }


def test_json_lines_hold_the_same_objects() -> None:
    found = [finding(), finding("pkg/other.py")]
    lines = out("json-lines", *found).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(out("json", *found))


def test_no_findings_are_valid_documents() -> None:
    assert json.loads(out("json")) == []
    assert json.loads(out("sarif"))["runs"][0]["results"] == []
    assert [out(name) for name in FORMATS if name not in ("json", "sarif")] == [""] * 4


def names(*found: Diagnostic, text: str = GATE, root: str = ".") -> list[str]:
    sources = Sources({one.location.filename: text.encode() for one in found})
    return fingerprints(found, sources, lambda _: root)


def test_fingerprint_survives_moved_and_indented_lines() -> None:
    moved = "\n\n" + "".join(f"    {line}\n" for line in GATE.splitlines())
    assert names(finding()) == names(finding(shift=2), text=moved)


def test_fingerprint_changes_with_the_lines_it_speaks_of() -> None:
    assert names(finding()) != names(finding(), text=GATE.replace("y += 1", "y += 2"))
    assert names(finding()) != names(finding(), text=GATE.replace("sigmoid(x)", "sigmoid(z)"))
    assert names(finding()) != names(finding("pkg/other.py"))


def test_equal_lines_have_fingerprints_of_their_own() -> None:
    twice = names(finding(), finding(shift=3), text=GATE * 2)
    assert len(set(twice)) == 2


def test_fingerprint_is_the_same_from_every_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pkg").mkdir()
    monkeypatch.chdir(tmp_path)
    above = names(finding("pkg/gate.py"), root=str(tmp_path))
    monkeypatch.chdir(tmp_path / "pkg")
    assert names(finding("gate.py"), root=str(tmp_path)) == above


def test_concise_says_both_places() -> None:
    line = "pkg/gate.py:3:1: error[IPL101] `y` is changed: 100% (saved at 2:5)\n"
    assert out("concise", finding()) == line


def test_github_annotation_is_escaped() -> None:
    assert out("github", finding("a,b.py", severity="note")) == (
        "::notice title=inplace-lint (IPL101),file=a%2Cb.py,line=3,endLine=3,col=1,endColumn=7::"
        "a,b.py:3:1: IPL101 `y` is changed: 100%25%0A"
        "save: a,b.py:2:5: SigmoidBackward0 saves this result%0Ahelp: use `y = y + 1`\n"
    )


def test_sarif_holds_places_flow_and_rules() -> None:
    log = json.loads(out("sarif", finding("pkg/ä b.py")))
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in registry.RULES]
    assert all(rule["help"]["markdown"].startswith(f"# {rule['id']} ") for rule in rules)
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "IPL101"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "pkg/%C3%A4%20b.py"
    assert place["region"] == {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 7}
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in flow]
    assert lines == [2, 3]
    assert result["relatedLocations"][0]["message"]["text"] == "SigmoidBackward0 saves this result"
    assert result["partialFingerprints"]["inplaceLint/v1"] == names(finding("pkg/ä b.py"))[0]


#: The part of SARIF 2.1.0's schema that this report uses, with the required members and closed objects of the
#: standard (sections 3.13, 3.14, 3.19, 3.27 to 3.30, 3.36 to 3.38).
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "run": {
            "type": "object",
            "required": ["tool"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "properties": {
                        "driver": {
                            "type": "object",
                            "required": ["name"],
                            "properties": {"rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}}},
                        }
                    },
                },
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "name": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/text"},
                "help": {"$ref": "#/$defs/text"},
                "helpUri": {"type": "string", "format": "uri"},
                "defaultConfiguration": {
                    "type": "object",
                    "properties": {"level": {"enum": ["none", "note", "warning", "error"]}},
                },
            },
        },
        "text": {
            "type": "object",
            "required": ["text"],
            "additionalProperties": False,
            "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}},
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/text"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "relatedLocations": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {"$ref": "#/$defs/location"},
                },
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "fixes": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["artifactChanges"],
                        "additionalProperties": False,
                        "properties": {
                            "description": {"$ref": "#/$defs/text"},
                            "artifactChanges": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "object",
                                    "required": ["artifactLocation", "replacements"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "artifactLocation": {"type": "object", "required": ["uri"]},
                                        "replacements": {
                                            "type": "array",
                                            "minItems": 1,
                                            "items": {
                                                "type": "object",
                                                "required": ["deletedRegion"],
                                                "additionalProperties": False,
                                                "properties": {
                                                    "deletedRegion": {
                                                        "type": "object",
                                                        "required": ["startLine", "startColumn"],
                                                    },
                                                    "insertedContent": {"$ref": "#/$defs/text"},
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
                "codeFlows": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["threadFlows"],
                        "properties": {
                            "threadFlows": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "object",
                                    "required": ["locations"],
                                    "properties": {
                                        "locations": {
                                            "type": "array",
                                            "minItems": 1,
                                            "items": {
                                                "type": "object",
                                                "properties": {"location": {"$ref": "#/$defs/location"}},
                                            },
                                        }
                                    },
                                },
                            }
                        },
                    },
                },
                "properties": {"type": "object"},
            },
        },
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "id": {"type": "integer", "minimum": -1},
                "message": {"$ref": "#/$defs/text"},
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "properties": {"uri": {"type": "string", "pattern": r"^[\w./%~-]+$"}},
                        },
                        "region": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                name: {"type": "integer", "minimum": 1}
                                for name in ("startLine", "startColumn", "endLine", "endColumn")
                            },
                        },
                    },
                },
            },
        },
    },
}


def test_sarif_is_valid() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    log = json.loads(out("sarif", finding(), finding("pkg/other.py", severity="note")))
    jsonschema.Draft202012Validator(SARIF).validate(log)
