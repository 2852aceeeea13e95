"""What programs read: JSON, JSON lines, SARIF, GitHub's annotations, the concise lines; and fingerprints."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.model import Diagnostic
from inplace_lint.report import FORMATS
from inplace_lint.report.places import slashed
from inplace_lint.report.records import fingerprints
from inplace_lint.report.source import Sources

from .samples import GATE, finding, out


def test_every_field_of_json() -> None:
    (record,) = json.loads(out("json", finding()))
    assert len(record.pop("fingerprint")) == 32
    assert record.pop("url") == ""
    assert record == {
        "code": "IPL101",
        "name": "saved-result-overwritten",
        "severity": "error",
        "confidence": "likely",
        "message": "`y` is changed: 100%",
        "filename": "pkg/gate.py",
        "cell": None,
        "location": {"row": 3, "column": 1},
        "end_location": {"row": 3, "column": 7},
        "labels": [
            {
                "role": "save",
                "message": "SigmoidBackward0 saves this result",
                "filename": "pkg/gate.py",
                "cell": None,
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


def test_where_nothing_was_found_streams_are_empty_and_documents_whole() -> None:
    assert json.loads(out("json")) == []
    assert {name for name in FORMATS if not out(name)} == {
        name for name, form in FORMATS.items() if form.streamed
    }


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


def test_github_names_files_as_the_repository_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert ",file=sub/gate.py,line=3," in out("github", finding("gate.py"))
    monkeypatch.delenv("GITHUB_WORKSPACE")
    assert ",file=gate.py,line=3," in out("github", finding("gate.py"))


def test_a_backslash_separates_folders_only_where_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "pkg\\gate.py"
    assert slashed(name) == name
    monkeypatch.setattr(os, "sep", "\\")
    assert slashed(name) == "pkg/gate.py"


@pytest.mark.parametrize("form", FORMATS)
def test_a_rule_has_an_address_only_where_its_page_is_public(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a report is the same on each machine: it names no folder of an installation."""
    told = out(form, finding())
    assert "README.md" not in told
    assert registry.pages() not in told
    monkeypatch.setattr(registry, "SITE", "https://example.org/rules")
    if form.startswith("json"):
        assert '"url": "https://example.org/rules/IPL101-saved-result-overwritten"' in out(form, finding())
