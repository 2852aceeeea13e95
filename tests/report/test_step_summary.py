"""The table of a GitHub workflow's run: all findings, with links that the workflow itself vouches for."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.report.step_summary import document

from .samples import finding, found, verdict

WORKFLOW = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "GITHUB_WORKSPACE")


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*WORKFLOW, "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


def test_rules_are_counted_and_findings_listed() -> None:
    assert document(found(finding(), finding(shift=3))).splitlines() == [
        "### inplace-lint",
        "",
        "2 findings in 1 file.",
        "",
        "| rule | what it finds | findings |",
        "|---|---|--:|",
        "| IPL101 saved-result-overwritten | An operation saved its result for backward, then the result is "
        "changed in place. | 2 |",
        "",
        "| place | | what happens |",
        "|---|---|---|",
        "| pkg/gate.py:3 | error IPL101 | <code>y</code> is changed: 100%<br>"
        "line 2: SigmoidBackward0 saves this result |",
        "| pkg/gate.py:6 | error IPL101 | <code>y</code> is changed: 100%<br>"
        "line 5: SigmoidBackward0 saves this result |",
        "",
        "More of a rule: `inplace-lint rule IPL101`",
        "",
    ]


def test_nothing_found() -> None:
    assert "All checks passed in 2 files.\n" in document(found(files=["a.py", "b.py"]))
    told = document(found(files=["a.py"], listed=3))
    assert "All checks passed in 1 file. Not shown: 3 listed in the baseline.\n" in told


def test_links_are_those_of_the_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(WORKFLOW, ("https://git.example", "us/it", "abc123", str(tmp_path))):
        monkeypatch.setenv(name, value)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    text = document(found(finding("a b.py"), finding("/elsewhere/c.py")))
    assert "[a b.py:3](https://git.example/us/it/blob/abc123/sub/a%20b.py#L3)" in text
    assert "| /elsewhere/c.py:3 |" in text


def test_no_text_of_a_finding_is_read_as_markup() -> None:
    words = "a|b <img src=x> [c](d) `x|y` *e* `left"
    (row,) = [
        line for line in document(found(finding(message=words, labels=()))).splitlines() if "pkg/" in line
    ]
    assert row.count("|") == 4
    assert "<img" not in row and "](" not in row and "*" not in row
    assert "<code>x&#124;y</code>" in row


def test_verdicts_stand_with_their_findings() -> None:
    text = document(found(finding(), verdicts={0: verdict("refuted", "nothing raises")}))
    assert "| note IPL101 |" in text and "&#91;refuted: nothing raises&#93;" in text


def test_what_is_too_much_is_counted() -> None:
    many = [finding(message="m" * 1000) for _ in range(2000)]
    text = document(found(*many))
    assert len(text) < 1 << 20
    assert "more, which the log of this step lists." in text


def test_it_is_added_to_what_the_step_has_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = (\n")
    (tmp_path / "summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert main(["check", "--isolated", "--output-format", "concise", "a.py"]) == 1
    assert (tmp_path / "summary.md").read_text() == "before\n"
    assert main(["check", "--isolated", "--output-format", "github", "a.py"]) == 1
    assert (
        (tmp_path / "summary.md").read_text().startswith("before\n### inplace-lint\n\n1 finding in 1 file.")
    )
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    capsys.readouterr()
    assert main(["check", "--isolated", "--output-format", "github", "a.py"]) == 1
    assert "GITHUB_STEP_SUMMARY" in capsys.readouterr().err
