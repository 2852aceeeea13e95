"""GitLab's Code Quality: the fields it asks for, paths as the repository has them, what a finding is known by."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.model import Location

from .samples import GATE, finding, out, verdict


def issues(*diagnostics: Any, **more: Any) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(out("gitlab", *diagnostics, **more))
    for one in read:
        # What GitLab's own schema asks for, and the severities of its documentation.
        assert {"description", "fingerprint", "severity", "location"} <= one.keys()
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert isinstance(one["location"]["lines"]["begin"], int)
        assert not one["location"]["path"].startswith("./")
    return read


def test_every_field() -> None:
    (one,) = issues(finding())
    assert len(one.pop("fingerprint")) == 32
    assert one == {
        "type": "issue",
        "check_name": "IPL101",
        "description": "saved-result-overwritten: `y` is changed: 100%",
        "content": {"body": "help: use `y = y + 1`"},
        "categories": ["Bug Risk"],
        "severity": "critical",
        "location": {"path": "pkg/gate.py", "lines": {"begin": 3, "end": 3}},
        "other_locations": [{"path": "pkg/gate.py", "lines": {"begin": 2, "end": 2}}],
    }


def test_nothing_found_is_an_empty_array() -> None:
    assert issues() == []


def test_what_moves_is_known_again_and_equal_ones_are_told_apart() -> None:
    def known(text: str, *shifts: int) -> set[str]:
        return {one["fingerprint"] for one in issues(*(finding(shift=by) for by in shifts), text=text)}

    assert known(GATE, 0) == known("\n\n" + GATE, 2)
    assert len(known(GATE * 2, 0, 3)) == 2


def test_paths_start_at_the_repository_wherever_the_job_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    (one,) = issues(finding("gate.py"))
    assert one["location"]["path"] == "sub/gate.py"
    monkeypatch.delenv("CI_PROJECT_DIR")
    (one,) = issues(finding("gate.py"))
    assert one["location"]["path"] == "gate.py"


def test_severities_follow_the_verdict() -> None:
    shown = [issues(finding(severity=severity))[0]["severity"] for severity in ("error", "warning", "note")]
    assert shown == ["critical", "major", "info"]
    (one,) = issues(finding(), verdicts={0: verdict("refuted", "nothing raises")})
    assert one["severity"] == "info"
    assert one["description"].endswith("[refuted: nothing raises]")


def test_a_name_that_is_no_text_is_still_text() -> None:
    name = os.fsdecode(b"b\xff.py")
    text = out("gitlab", finding(name, labels=(), location=Location(name, 1, 1, 1, 2)))
    assert json.loads(text)[0]["location"]["path"] == "b\ufffd.py"
