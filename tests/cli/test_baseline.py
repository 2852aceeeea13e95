"""Baselines: what is known stays quiet wherever it moves, what is new does not, and what is gone is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint.cli import main

Run = Callable[..., tuple[int, str, str]]
Write = Callable[[str, str], None]

OLD = """\
class Gate:
    def forward(self, x):
        hazard("IPL101")
        hazard("IPL102")
"""


@pytest.fixture
def old(run: Run, write: Write) -> Run:
    """The command line where `b.json` lists the two findings of pkg/a.py; its reports are concise."""
    write("pkg/a.py", OLD)
    assert run("--write-baseline", "b.json") == (
        0,
        "",
        "b.json lists 2 findings.\nAll checks passed in 1 file.\n",
    )
    return lambda *argv: run("--baseline", "b.json", "--output-format", "concise", *argv)


def places(out: str) -> list[str]:
    return [line.partition(": ")[0] for line in out.splitlines()]


def test_the_file_is_sorted_json_one_finding_a_line(old: Run, tmp_path: Path) -> None:
    assert (tmp_path / "b.json").read_text().splitlines() == [
        "{",
        ' "version": 1,',
        ' "findings": [',
        '  {"code": "IPL101", "name": "Gate.forward", "text": "hazard(\\"IPL101\\")", "files": {"pkg/a.py": 1}},',
        '  {"code": "IPL102", "name": "Gate.forward", "text": "hazard(\\"IPL102\\")", "files": {"pkg/a.py": 1}}',
        " ]",
        "}",
    ]


def test_what_is_known_is_neither_reported_nor_counted(old: Run, write: Write) -> None:
    told = "All checks passed in 1 file; 2 more findings are listed in b.json.\n"
    assert old() == (0, "", told)
    write("pkg/a.py", OLD + '        hazard("IPL103")\n')
    code, out, err = old()
    assert (code, places(out)) == (1, ["pkg/a.py:5:9"])
    assert err == "Found 1 error in 1 file; 2 more findings are listed in b.json.\n"
    assert old("--statistics")[1] == "1  IPL103  leaf-overwritten\n"
    assert [one["code"] for one in json.loads(old("--output-format", "json")[1])] == ["IPL103"]


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\n\n" + OLD,
        OLD.replace('("IPL101")', '(\n            "IPL101",\n        )'),
        OLD.replace("    def", "    @staticmethod\n    def"),
        "\ufeff" + OLD.replace("\n", "\r\n"),
    ],
    ids=["moved", "folded", "decorated", "line ends"],
)
def test_a_finding_that_moves_stays_known(old: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "pkg/a.py").write_bytes(text.encode())
    assert old() == (0, "", "All checks passed in 1 file; 2 more findings are listed in b.json.\n")


def test_a_file_that_is_renamed_stays_known(old: Run, tmp_path: Path) -> None:
    (tmp_path / "pkg/a.py").rename(tmp_path / "pkg/other.py")
    assert old()[0] == 0
    assert old("pkg/other.py")[0] == 0


def test_a_function_that_moves_to_another_file_stays_known(old: Run, write: Write) -> None:
    write("pkg/a.py", "x = 1\n")
    write("pkg/new.py", OLD)
    assert old()[0] == 0
    # Whether it is still in the other file too cannot be known from one alone: that is read.
    assert old("pkg/new.py")[0] == 1
    assert old("pkg/new.py", "pkg/a.py")[0] == 0


def test_a_copy_is_new_wherever_it_stands(old: Run, write: Write) -> None:
    write("pkg/a.py", OLD + '        hazard("IPL102")\n')
    assert places(old()[1]) == ["pkg/a.py:5:9"]
    write("pkg/a.py", OLD)
    write("apart/copy.py", OLD)
    for paths in ([], ["apart/copy.py"], ["apart", "pkg"]):
        assert places(old(*paths)[1]) == ["apart/copy.py:3:9", "apart/copy.py:4:9"]
    write("apart/copy.py", OLD.replace("Gate", "Other"))
    assert len(places(old()[1])) == 2


def test_what_is_gone_is_told_and_forgotten_when_written_anew(old: Run, write: Write, tmp_path: Path) -> None:
    write("pkg/a.py", OLD.replace('        hazard("IPL102")\n', ""))
    code, out, err = old()
    assert (code, out) == (0, "")
    assert err.endswith("\nb.json: 1 finding that it lists is gone; --write-baseline b.json forgets them.\n")
    write("c.py", "x = 1\n")
    assert "gone" not in old("c.py")[2], "who has not read a file cannot say what is gone from it"
    assert "gone" not in old("--select", "IPL101")[2]
    (tmp_path / "pkg/a.py").unlink()
    assert "b.json: 2 findings that it lists are gone" in old("c.py")[2]
    assert old("--write-baseline", "b.json", "--baseline", "b.json")[0] == 2
    assert main(["--write-baseline", "b.json"]) == 0
    assert json.loads((tmp_path / "b.json").read_text())["findings"] == []
    assert "gone" not in old()[2]


def test_writing_anew_keeps_what_was_not_looked_at(old: Run, run: Run, write: Write, tmp_path: Path) -> None:
    write("c.py", OLD)
    assert run("--write-baseline", "b.json", "c.py")[2].startswith("b.json lists 4 findings.\n")
    assert json.loads((tmp_path / "b.json").read_text())["findings"][0]["files"] == {"c.py": 1, "pkg/a.py": 1}
    before = (tmp_path / "b.json").read_bytes()
    run("--write-baseline", "b.json")
    assert (tmp_path / "b.json").read_bytes() == before


def test_paths_are_those_beside_the_file(old: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path / "pkg")
    assert main(["check", "--baseline", "../b.json"]) == 0


def test_a_file_that_cannot_be_read_is_never_known(old: Run, run: Run, write: Write) -> None:
    write("broken.py", "x = (\n")
    code, out, err = run("--write-baseline", "all.json", "--output-format", "concise")
    assert (code, places(out)) == (1, ["broken.py:1:1"])
    assert err.startswith("all.json lists 2 findings.\nFound 1 error in 2 files.\n")
    assert places(run("--baseline", "all.json", "--output-format", "concise")[1]) == ["broken.py:1:1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b.json:1 is not valid JSON: Expecting value"),
        ('{\n "version": 1,\n<<<<<<< HEAD\n', "b.json:3 is not valid JSON"),
        ("[]", "b.json is no baseline: it has no list of `findings`"),
        ('{"version": 1}', "b.json is no baseline: it has no list of `findings`"),
        (
            '{"findings": []}',
            "b.json is no baseline: it is of version None, this inplace-lint reads version 1",
        ),
        ('{"version": 2, "findings": []}', "it is of version 2, this inplace-lint reads version 1"),
        ('{"version": 1, "findings": [3]}', "finding 1 lacks `code`, `name` or `text`"),
        ('{"version": 1, "findings": [{"code": "IPL101", "name": "f"}]}', "finding 1 lacks `code`"),
        (
            '{"version": 1, "findings": [{"code": "", "name": "", "text": "", "files": {"a": true}}]}',
            "finding 1 has no `files` with a count for each",
        ),
        ("[" * 100_000, "b.json is no baseline: it is nested too deeply"),
        ("\udcff", "b.json is no baseline: it is not UTF-8"),
    ],
)
def test_a_damaged_baseline_is_told_and_kept(
    old: Run, run: Run, tmp_path: Path, text: str, message: str
) -> None:
    damaged = text.encode("utf-8", "surrogateescape")
    (tmp_path / "b.json").write_bytes(damaged)
    for code, out, err in (old(), run("--write-baseline", "b.json")):
        assert (code, out) == (2, "")
        assert message in err
    assert (tmp_path / "b.json").read_bytes() == damaged


def test_wrong_calls(run: Run, write: Write) -> None:
    write("a.py", OLD)
    for argv, message in (
        (["--baseline", "none.json"], "there is no file none.json; --write-baseline none.json writes it"),
        (["--baseline", "."], "--baseline: . cannot be read: Is a directory"),
        (["--write-baseline", "no/dir.json"], "--write-baseline: no/dir.json cannot be written"),
        (["--write-baseline", "b.json", "--fix"], "--fix and --write-baseline contradict each other"),
        (["--add-ignore", "--diff"], "--diff and --add-ignore contradict each other"),
        (["--fail-on", "note"], "--fail-on must be one of error, warning, not `note`"),
    ):
        code, out, err = run(*argv)
        assert (code, out) == (2, "")
        assert message in err


def test_entries_that_two_branches_added_count_once(old: Run, write: Write, tmp_path: Path) -> None:
    lines = (tmp_path / "b.json").read_text().splitlines()
    (tmp_path / "b.json").write_text("\n".join([*lines[:3], lines[3], *lines[3:]]))
    write("pkg/a.py", OLD + '        hazard("IPL101")\n')
    assert places(old()[1]) == ["pkg/a.py:5:9"]


def test_jobs_make_no_difference(old: Run, write: Write) -> None:
    for number in range(8):
        write(f"pkg/m{number}.py", OLD)
    (_, one, told), (_, two, told_by_two) = old("--jobs", "1"), old("--jobs", "3")
    assert (one, told) == (two, told_by_two)
    assert len(places(one)) == 16


def test_sarif_says_what_is_new(old: Run, write: Write) -> None:
    write("pkg/a.py", OLD + '        hazard("IPL103")\n')
    code, out, _ = old("--output-format", "sarif")
    results = json.loads(out)["runs"][0]["results"]
    assert code == 1
    assert [(one["ruleId"], one["baselineState"]) for one in results] == [
        ("IPL101", "unchanged"),
        ("IPL102", "unchanged"),
        ("IPL103", "new"),
    ]


SAFE = "import torch\n\n\ndef f(x):\n    y = torch.exp(x.float())\n    y += 1\n    return y\n"


def test_fixes_leave_alone_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(SAFE)
    assert main(["--write-baseline", "b.json"]) == 0
    more = SAFE.replace("import torch\n", "").replace("def f", "def g")
    (tmp_path / "a.py").write_text(SAFE.replace("import torch\n", "import torch\n" + more, 1))
    (tmp_path / "b.py").write_text(SAFE)
    capsys.readouterr()
    assert main(["--baseline", "b.json", "--fix"]) == 0
    text = (tmp_path / "a.py").read_text()
    assert "    y = y + 1\n    return y\n\n\ndef f(x):\n" in text
    assert text.endswith("    y += 1\n    return y\n")
    assert (tmp_path / "b.py").read_text() == SAFE.replace("y += 1", "y = y + 1")
    assert capsys.readouterr().err == (
        "Found 2 findings (2 fixed, 0 remaining) in 2 files; 1 more finding is listed in b.json.\n"
    )
    (tmp_path / "b.py").unlink()
    assert main(["--baseline", "b.json", "--diff"]) == 0
    assert capsys.readouterr().out == ""


def test_fail_on(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL204")\n')  # a warning
    assert run()[0] == run("--fail-on", "warning")[0] == 1
    assert run("--fail-on", "error")[0] == 0
    assert "IPL204" in run("--fail-on", "error")[1]
    write("a.py", 'hazard("IPL101")\n')
    assert run("--fail-on", "error")[0] == 1


def notebook(*cells: str) -> str:
    code = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell}
        for cell in cells
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def test_notebooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lint = ["--baseline", "b.json", "--output-format", "concise"]
    (tmp_path / "n.ipynb").write_text(notebook("%time\n", SAFE))
    assert main(["--write-baseline", "b.json"]) == 0
    assert json.loads((tmp_path / "b.json").read_text())["findings"] == [
        {"code": "IPL101", "name": "f", "text": "y += 1", "files": {"n.ipynb": 1}}
    ]
    moved = notebook("x = 1\n", "%time\n", "# more\n" + SAFE, "z = 1  # inplace-lint: ignore[IPL101]")
    (tmp_path / "n.ipynb").write_text(moved)
    capsys.readouterr()
    assert main(lint) == 1
    assert capsys.readouterr().out.startswith("n.ipynb:cell 4:1:8: warning[IPL001]")
    assert main([*lint, "--fix"]) == 0
    assert (tmp_path / "n.ipynb").read_text() == moved.replace("  # inplace-lint: ignore[IPL101]", "")
    assert main(["--add-ignore"]) == 0
    assert "y += 1  # inplace-lint: ignore[IPL101]\\n" in (tmp_path / "n.ipynb").read_text()
    assert main([]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "pyproject.toml:3: `baseline`: there is no file "),
        (["--config", 'baseline = "gone.json"'], "--config: `baseline`: there is no file "),
        (["--baseline", "gone.json"], "--baseline: there is no file gone.json; "),
    ],
)
def test_a_missing_baseline_is_blamed_on_who_named_it(
    run: Run, write: Write, words: list[str], said: str
) -> None:
    write("pyproject.toml", '[tool.inplace-lint]\nnotes = true\nbaseline = "gone.json"\n')
    write("a.py", "x = 1\n")
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"inplace-lint: {said}")
    assert run("--write-baseline", "gone.json")[0] == 0
    assert run(*words)[0] == 0
