"""What `confirm` writes while verdicts come in: all findings once, in every format, and what ended the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplace_lint.cli.verdicts import Report, summarise
from inplace_lint.model import Diagnostic, Location
from inplace_lint.project import Settings
from inplace_lint.project.discovery import Target
from inplace_lint.report import FORMATS


def report(form: str, folder: Path) -> str:
    """The report on three findings, of which the second, then the first was run before the run was ended."""
    (folder / "a.py").write_text("y += 1\n" * 3)
    found = [
        Diagnostic(
            "IPL101",
            "saved-result-overwritten",
            "error",
            "certain",
            f"message {row}",
            Location("a.py", row, 1, row, 7),
        )
        for row in (1, 2, 3)
    ]
    target = Target("a.py", Settings(root=str(folder)))
    written = Report(form, found, [target], str(folder / "report"))
    more = {"inputs": {}, "device": None, "conflicts": [], "peak": None, "proof": None}
    written.add(1, {"status": "refuted", "reason": "it is fine", **more})
    written.add(0, {"status": "confirmed", "reason": "it raises", **more})
    written.finish("SIGTERM")
    return (folder / "report").read_text()


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_all_findings_and_their_verdicts(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = report(form, tmp_path)
    for words in ("message 1", "message 2", "message 3", "it raises", "it is fine"):
        assert words in text
    if FORMATS[form].streamed:  # as they became known, then what is left
        assert text.index("message 2") < text.index("message 1") < text.index("message 3")


def test_what_ended_the_run_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = json.loads(report("json-v2", tmp_path))
    assert told["incomplete"]["ended_by"] == "SIGTERM"
    assert told["summary"]["verdicts"] == {"confirmed": 1, "refuted": 1}
    assert "the run was ended by SIGTERM" in report("html", tmp_path)


@pytest.mark.parametrize(
    ("count", "statuses", "told"),
    [
        (1, [], "1 finding in 2 files, which no run decides.\n"),
        (3, [], "3 findings in 2 files, which no run decides.\n"),
        (2, ["confirmed", "refuted"], "2 findings in 2 files: 1 confirmed, 1 refuted.\n"),
    ],
)
def test_the_last_line_counts_the_verdicts(
    count: int, statuses: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Diagnostic("IPL000", "x", "error", "certain", "m", Location("a.py", 1, 1, 1, 2))] * count
    summarise(found, {n: {"status": one, "reason": ""} for n, one in enumerate(statuses)}, 2)
    assert capsys.readouterr().err == told
