"""SARIF: places, the flow from save to write, rules, fixes, and the parts of the standard that it is held to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.checks import registry
from inplace_lint.model import Diagnostic, Label, Location

from .samples import finding, found, out, verdict


def run(*diagnostics: Diagnostic, **more: Any) -> dict[str, Any]:
    log = json.loads(out("sarif", *diagnostics, **more))
    assert log["version"] == "2.1.0"
    valid(log)
    (run,) = log["runs"]
    return run


def result(diagnostic: Diagnostic, **more: Any) -> dict[str, Any]:
    (only,) = run(diagnostic, **more)["results"]
    return only


def test_places_and_fingerprint() -> None:
    told = result(finding("pkg/gate.py"))
    place = told["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "pkg/gate.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 7}
    assert told["relatedLocations"][0]["message"]["text"] == "SigmoidBackward0 saves this result"
    assert told["partialFingerprints"]["inplaceLint/v1"] == found(finding()).fingerprints[0]


def test_every_rule_is_told_once_with_its_page() -> None:
    told = run(finding(), finding(shift=3))
    rules = told["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in registry.RULES]
    assert all(rule["help"]["markdown"].startswith(f"# {rule['id']} ") for rule in rules)
    assert all(rule["fullDescription"]["text"] for rule in rules)
    assert {rules[one["ruleIndex"]]["id"] for one in told["results"]} == {"IPL101"}


def test_help_has_an_address_only_where_pages_are_published(monkeypatch: pytest.MonkeyPatch) -> None:
    def addresses() -> set[str | None]:
        return {rule.get("helpUri") for rule in run()["tool"]["driver"]["rules"]}

    monkeypatch.setattr(registry, "SITE", "")
    assert addresses() == {None}
    monkeypatch.setattr(registry, "SITE", "https://example.org/rules")
    assert "https://example.org/rules/IPL101-saved-result-overwritten" in addresses()


def test_the_flow_goes_from_the_save_to_the_write() -> None:
    steps = result(finding())["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert (lines, [step["kinds"] for step in steps]) == ([2, 3], [["save"], ["write"]])
    assert [step["executionOrder"] for step in steps] == [1, 2]
    assert steps[1]["location"]["message"]["text"] == "add_ moves its version"


def test_the_flow_of_an_attention_ends_at_the_product_with_the_values() -> None:
    labels = tuple(
        Label(role, f"the {role}", Location("a.py", row, 1, row, 2))
        for role, row in (("scores", 1), ("values", 5))
    )
    attention = finding("a.py", code="IPL401", name="naive-attention", labels=labels)
    steps = result(attention)["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["kinds"] for step in steps] == [["scores"], ["softmax"], ["values"]]


def test_relative_names_start_where_the_tool_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (base,) = run(finding())["originalUriBaseIds"].values()
    assert base["uri"] == tmp_path.as_uri() + "/"


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("pkg/ä b.py", "pkg/%C3%A4%20b.py"),
        ("c:d.py", "c%3Ad.py"),
        ("100%.py", "100%25.py"),
        ("b\udcff.py", "b%FF.py"),
        ("/tmp/a:b.py", "file:///tmp/a:b.py"),
    ],
)
def test_names_of_files_are_uris(name: str, address: str) -> None:
    place = result(finding(name))["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == address
    assert ("uriBaseId" in place) is not address.startswith("file:")


def test_a_fault_of_the_tool_and_a_run_cut_short_are_told() -> None:
    assert run(finding())["invocations"] == [{"executionSuccessful": True}]
    broken = finding(code="IPL002", name="internal-error", labels=(), fix=None)
    (failed,) = run(broken)["invocations"]
    assert (failed["executionSuccessful"], len(failed["toolExecutionNotifications"])) == (False, 1)
    (ended,) = run(finding(), verdicts={}, ended="SIGINT")["invocations"]
    assert ended["toolExecutionNotifications"][0]["message"]["text"] == "cut short by SIGINT"


def test_what_a_baseline_lists_is_told_from_what_is_new() -> None:
    told = run(finding(), finding(shift=3), known={1})["results"]
    assert [one["baselineState"] for one in told] == ["new", "unchanged"]
    assert "baselineState" not in result(finding())


def test_what_a_run_has_cleared_has_passed() -> None:
    told = result(finding(), verdicts={0: verdict()})
    assert (told["level"], told["properties"]["verdict"]["status"]) == ("error", "confirmed")
    assert told["message"]["text"].endswith(" [confirmed: PyTorch raises in backward]")
    told = result(finding(), verdicts={0: verdict("refuted", "on these inputs nothing raises")})
    assert (told["kind"], told["level"]) == ("pass", "none")
    assert result(finding(), verdicts={})["properties"]["verdict"] is None


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
                "invocations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["executionSuccessful"],
                        "additionalProperties": False,
                        "properties": {
                            "executionSuccessful": {"type": "boolean"},
                            "toolExecutionNotifications": {
                                "type": "array",
                                "items": {"$ref": "#/$defs/notification"},
                            },
                        },
                    },
                },
                "originalUriBaseIds": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"uri": {"type": "string", "pattern": "^file:///.*/$"}},
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
                "fullDescription": {"$ref": "#/$defs/text"},
                "properties": {
                    "type": "object",
                    "properties": {
                        "tags": {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
                        "problem.severity": {"enum": ["error", "warning", "recommendation"]},
                    },
                },
                "help": {"$ref": "#/$defs/text"},
                "helpUri": {"type": "string", "format": "uri"},
                "defaultConfiguration": {
                    "type": "object",
                    "properties": {"level": {"enum": ["none", "note", "warning", "error"]}},
                },
            },
        },
        "notification": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/text"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "associatedRule": {"type": "object", "properties": {"id": {"type": "string"}}},
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
                "baselineState": {"enum": ["new", "unchanged", "updated", "absent"]},
                "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
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
                                                "additionalProperties": False,
                                                "properties": {
                                                    "location": {"$ref": "#/$defs/location"},
                                                    "executionOrder": {"type": "integer", "minimum": -1},
                                                    "kinds": {
                                                        "type": "array",
                                                        "uniqueItems": True,
                                                        "items": {"type": "string"},
                                                    },
                                                    "importance": {
                                                        "enum": ["important", "essential", "unimportant"]
                                                    },
                                                },
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
                            "additionalProperties": False,
                            "properties": {
                                "uri": {"type": "string", "pattern": r"^(file:///[\w./%~:-]+|[\w./%~-]+)$"},
                                "uriBaseId": {"const": "SRCROOT"},
                            },
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


def valid(log: dict[str, Any]) -> None:
    """Raises where a log is not what the standard says; where jsonschema is not installed nothing is asked."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return
    Draft202012Validator(SARIF).validate(log)


def test_what_the_standard_forbids_is_refused() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    log = json.loads(out("sarif", finding()))
    del log["runs"][0]["results"][0]["message"]
    with pytest.raises(jsonschema.ValidationError):
        valid(log)
