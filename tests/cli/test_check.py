"""The verb `check`: what is reported, where it is written, and the exit code."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
Write = Callable[[str, str], None]

FLAGGED = 'x = 1\nhazard("IPL101")\n'


def codes(out: str) -> list[str]:
    return [record["code"] for record in json.loads(out)]


def test_clean_files_exit_with_0_and_say_so_on_stderr(run: Run, write: Write) -> None:
    write("a.py", "x = 1\n")
    assert run() == (0, "", "All checks passed in 1 file.\n")


def test_findings_exit_with_1_and_stand_on_stdout(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    code, out, err = run("check", ".")
    assert code == 1
    assert out.startswith("error[IPL101] saved-result-overwritten: hazard\n  --> a.py:2:1\n")
    assert err == "Found 1 error in 1 file.\n"


def test_check_is_the_default_verb(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    assert run("a.py") == run("check", "a.py")
    assert run() == run("check")
    assert run("--output-format", "json") == run("check", "--output-format=json")


def test_exit_zero(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    code, out, _ = run("a.py", "--exit-zero")
    assert code == 0
    assert "IPL101" in out


def test_select_and_ignore_take_codes_prefixes_and_names(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL101")\nhazard("IPL102")\nhazard("IPL103")\n')

    def found(*options: str) -> list[str]:
        return codes(run("a.py", "--output-format", "json", *options)[1])

    assert found() == ["IPL101", "IPL102", "IPL103"]
    assert found("--select", "IPL101,leaf-overwritten") == ["IPL101", "IPL103"]
    assert found("--select", "IPL10", "--ignore", "IPL102") == ["IPL101", "IPL103"]
    assert found("--select", "IPL101", "--extend-select", "IPL102") == ["IPL101", "IPL102"]
    assert found("--ignore", "IPL1", "--extend-select", "IPL103") == ["IPL103"]
    assert found("--select", "ALL", "--ignore", "saved-input-overwritten") == ["IPL101", "IPL103"]
    assert found("--select", "IPL102", "--ignore", "IPL102") == []


def test_an_unreadable_file_is_reported_whatever_is_selected(run: Run, write: Write) -> None:
    write("a.py", "x = (\n")
    assert codes(run("--select", "IPL101", "--output-format", "json")[1]) == ["IPL000"]
    assert codes(run("--ignore", "IPL000", "--output-format", "json")[1]) == []


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--select", "IPL109"], "--select: no rule is called `IPL109`; did you mean `IPL10"),
        (
            ["--ignore", "leaf-overwriten"],
            "no rule is called `leaf-overwriten`; did you mean `leaf-overwritten`?",
        ),
        (["--select", "D100"], "no rule is called `D100`; `inplace-lint rule` lists the rules"),
        (["--select", ","], "--select needs a value: --select RULES"),
        (["--outptu-format", "json"], "unknown option --outptu-format; did you mean --output-format?"),
        (["--output-format", "xml"], "--output-format must be one of full, concise, json,"),
        (["--output-format"], "--output-format needs a value: --output-format FORMAT"),
        (["--notes=1"], "--notes takes no value"),
        (["--jobs", "0"], "--jobs needs a number from 1 upwards, not `0`"),
        (["--min-confidence", "sure"], "--min-confidence must be one of possible, likely, certain"),
        (["--config", "none.toml"], "--config: there is no file none.toml"),
        (["--config", "a.toml", "--isolated"], "contradict each other"),
        (["--output-file", "no/such/dir/x"], "--output-file: no/such/dir/x cannot be written"),
        (["-", "a.py"], "cannot be mixed"),
        (["a.py", "--stdin-filename", "b.py"], "--stdin-filename is for standard input"),
    ],
)
def test_wrong_calls_exit_with_2_and_say_what_is_wrong(
    run: Run, write: Write, argv: list[str], message: str
) -> None:
    write("a.py", "x = 1\n")
    code, out, err = run(*argv)
    assert code == 2
    assert out == ""
    assert message in err


def test_broken_configuration_exits_with_2_and_other_files_are_checked(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    write("sub/pyproject.toml", "[tool.inplace-lint]\nselect = [\n")
    write("sub/b.py", FLAGGED)
    code, out, err = run("--output-format", "json")
    assert code == 2
    assert [record["filename"] for record in json.loads(out)] == ["a.py"]
    place = os.path.join("sub", "pyproject.toml")
    assert err.startswith(f"inplace-lint: {place}:2: is not valid TOML")


def test_confidence_and_notes(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL101", "possible")\nhazard("IPL102", "likely")\nhazard("IPL103", "certain")\n')

    def found(*options: str) -> tuple[int, list[tuple[str, str]]]:
        code, out, _ = run("a.py", "--output-format", "json", *options)
        return code, [(one["code"], one["severity"]) for one in json.loads(out)]

    assert found() == (1, [("IPL102", "error"), ("IPL103", "error")])
    assert found("--min-confidence", "certain") == (1, [("IPL103", "error")])
    assert found("--min-confidence", "possible")[1][0] == ("IPL101", "note")
    assert found("--min-confidence", "possible", "--select", "IPL101") == (0, [("IPL101", "note")])


def test_configuration_and_per_file_ignores(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    write("tests/b.py", FLAGGED)
    write("pyproject.toml", '[tool.inplace-lint.per-file-ignores]\n"tests/*" = ["IPL1"]\n')
    assert [one["filename"] for one in json.loads(run("--output-format", "json")[1])] == ["a.py"]
    assert len(json.loads(run("--output-format", "json", "--isolated")[1])) == 2
    write("other.toml", 'ignore = ["IPL101"]\n')
    assert codes(run("--output-format", "json", "--config", "other.toml")[1]) == []


def test_suppressions_and_unused_ones(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL101")  # inplace-lint: ignore[IPL101]\nx = 1  # inplace-lint: ignore[IPL101]\n')
    code, out, _ = run("--output-format", "json")
    assert codes(out) == ["IPL001"]
    assert code == 1
    assert run("--ignore", "IPL001")[0] == 0


def test_a_suppressed_hidden_finding_is_not_unused(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL101", "possible")  # inplace-lint: ignore[IPL101]\n')
    assert run()[0] == 0


def test_files_without_a_suppressions_words_are_not_tokenized(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import inplace_lint.project.suppressions as suppressions

    monkeypatch.setattr(suppressions, "suppress", lambda *_: pytest.fail("tokenized"))
    write("flagged.py", FLAGGED)
    write("clean.py", "x = 1  # noqa\n")
    assert run()[0] == 1


def test_no_bar_where_there_is_no_terminal(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplace_lint.cli.progress.PATIENCE", -1.0)
    write("a.py", "x = 1\n")
    assert run()[2] == "All checks passed in 1 file.\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert "1/1 a.py" in run()[2]


def standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, FLAGGED)
    code, out, err = run("-", "--output-format", "full")
    assert (code, err) == (1, "Found 1 error in 1 file.\n")
    assert '  --> -:2:1\n   |\n 1 | x = 1\n   | - saved here\n 2 | hazard("IPL101")\n' in out
    standard_input(monkeypatch, FLAGGED)
    write("sub/inplace-lint.toml", 'ignore = ["IPL101"]\n')
    assert run("-", "--stdin-filename", "sub/new.py")[0] == 0
    standard_input(monkeypatch, FLAGGED)
    assert run("-", "--stdin-filename", "build/new.py", "--force-exclude")[0] == 0


def test_output_file(run: Run, write: Write, tmp_path: Path) -> None:
    write("a.py", FLAGGED)
    code, out, _ = run("--output-format", "json", "--output-file", "report.json")
    assert (code, out) == (1, "")
    assert codes((tmp_path / "report.json").read_text(encoding="utf-8")) == ["IPL101"]


def test_statistics(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL102")\nhazard("IPL101")\nhazard("IPL102")\n')
    assert (
        run("--statistics")[1] == "2  IPL102  saved-input-overwritten\n1  IPL101  saved-result-overwritten\n"
    )
    counted = json.loads(run("--statistics", "--output-format", "json")[1])
    assert counted[0] == {"code": "IPL102", "name": "saved-input-overwritten", "count": 2}


def test_a_missing_file_is_a_finding_and_the_others_are_checked(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    code, out, _ = run("none.py", "a.py", "--output-format", "concise")
    assert code == 1
    assert out.splitlines() == [
        "none.py:1:1: error[IPL000] cannot be read: No such file or directory",
        "a.py:2:1: error[IPL101] hazard (saved at 1:1)",
    ]


def test_a_missing_file_does_not_pass_where_its_finding_is_ignored(run: Run, write: Write) -> None:
    write("a.py", "x = 1\n")
    code, out, err = run("none.py", "a.py", "--ignore", "IPL000")
    assert (code, out) == (2, "")
    assert err == "inplace-lint: none.py: no such file or directory\n"


def test_nothing_to_check_is_said(run: Run) -> None:
    assert run() == (0, "", "warning: no Python files found under the given paths\n")


def test_colour_only_on_request_outside_of_a_terminal(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", FLAGGED)
    assert "\x1b[" not in run()[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run()[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run()[1]


def test_help_names_every_option(run: Run) -> None:
    code, out, _ = run("check", "--help")
    assert code == 0
    for option in (
        "--select",
        "--min-confidence",
        "--stdin-filename",
        "--force-exclude",
        "--jobs",
        "--isolated",
    ):
        assert option in out
    assert max(map(len, out.splitlines())) <= 100
