"""What is printed for others to parse line by line: Azure's commands, pylint's lines, and diffs beside commands."""

from __future__ import annotations

import os

import pytest

from inplace_lint.report.azure import quoted

from .samples import finding, out, verdict


def test_azure_names_the_place_and_says_all_in_one_line() -> None:
    where = os.path.abspath("pkg/gate.py")
    assert out("azure", finding()) == (
        f"##vso[task.logissue type=error;sourcepath={where};linenumber=3;columnnumber=1;code=IPL101;]"
        "`y` is changed: 100%AZP25; save at line 2: SigmoidBackward0 saves this result\n"
    )


def test_azure_knows_no_notes() -> None:
    line = out("azure", finding(severity="note"))
    assert line.startswith("##vso[task.logissue type=warning;") and "]note: `y`" in line
    line = out("azure", finding(), verdicts={0: verdict("refuted", "nothing raises")})
    assert line.startswith("##vso[task.logissue type=warning;") and "[refuted: nothing raises]" in line


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a;b].py", "a%3Bb%5D.py"),
        ("100%.py", "100%AZP25.py"),
        ("a\n##vso[task.complete].py", "a%0A##vso[task.complete%5D.py"),
        ("\x1b[31m.py", "\u241b[31m.py"),
    ],
)
def test_azure_takes_no_command_from_a_name(name: str, shown: str) -> None:
    line = out("azure", finding(name, labels=()))
    assert f"sourcepath={os.path.abspath('x')[:-1]}{shown};" in line
    assert line.count("\n") == 1


def test_azure_takes_no_command_from_a_diff() -> None:
    text = quoted("+##vso[task.setvariable variable=a]b\n ##[error]c\n")
    assert "##vso[" not in text and "##[" not in text


def test_pylint_lines() -> None:
    assert out("pylint", finding()) == (
        "pkg/gate.py:3: [IPL101(saved-result-overwritten), ] `y` is changed: 100%\n"
    )
    line = out("pylint", finding("a\nb.py", message="c\nd"), verdicts={0: verdict()})
    assert line.count("\n") == 1 and line.endswith("[confirmed: PyTorch raises in backward]\n")
