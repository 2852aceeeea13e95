"""`inplace-lint` on notebooks: the report in every format, fixes in cells, and what is said where there are none."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint.cli import main

from .books import code, prose, raw, sources

Call = Callable[..., tuple[int, str, str]]

MAKE = "%matplotlib inline\nimport torch\na = torch.ones(3, requires_grad=True)"
SAVE = "!pip list\nb = torch.sigmoid(a)  # é"
WRITE = "%%time\nb += 1\nb.sum().backward();"
BOOK = raw(prose("# Title"), MAKE, SAVE, code("%%bash\nls\n"), WRITE, "b?")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    Path("n.ipynb").write_bytes(BOOK)

    def call(*argv: str) -> tuple[int, str, str]:
        status = main([*argv, "--isolated"] if argv[0] == "check" else argv)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_a_finding_is_shown_with_the_cells_of_its_places(call: Call) -> None:
    status, out, err = call("check", ".")
    assert status == 1
    assert out.startswith(
        """\
error[IPL101] saved-result-overwritten: `b` is changed in place after sigmoid saved it for backward
  --> n.ipynb:cell 5:2:1
   |
 2 | b += 1
   | ^^^^^^ add_ moves its version from 0 to 1
  --> n.ipynb:cell 3:2:5
   |
 2 | b = torch.sigmoid(a)  # é
   |     ---------------- SigmoidBackward0 saves this result
   |
   = help: use `b = b + 1` (safe fix)
"""
    )
    assert err.startswith("Found 1 error in 1 file.\n")


def test_one_line_names_the_cell(call: Call) -> None:
    _, out, _ = call("check", "--output-format", "concise", "n.ipynb")
    assert out == (
        "n.ipynb:cell 5:2:1: error[IPL101] [*] `b` is changed in place after sigmoid saved it for backward "
        "(saved at cell 3:2:5)\n"
    )


@pytest.mark.parametrize("form", ["json", "json-lines"])
def test_json_has_a_field_for_the_cell(call: Call, form: str) -> None:
    _, out, _ = call("check", "--output-format", form, "n.ipynb")
    (found,) = json.loads(out) if form == "json" else map(json.loads, out.splitlines())
    assert (found["filename"], found["cell"], found["location"]) == ("n.ipynb", 5, {"row": 2, "column": 1})
    (label,) = found["labels"]
    assert (label["cell"], label["location"]) == (3, {"row": 2, "column": 5})
    (edit,) = found["fix"]["edits"]
    assert (edit["content"], edit["location"]) == ("b = b + 1", {"row": 2, "column": 1})


def test_what_is_shown_beside_the_file_has_places_of_the_file(call: Call) -> None:
    row = next(i for i, line in enumerate(BOOK.decode().split("\n"), 1) if '"b += 1' in line)
    column = BOOK.decode().split("\n")[row - 1].index("b += 1") + 1
    _, out, _ = call("check", "--output-format", "github", "n.ipynb")
    place = f"line={row},endLine={row},col={column},endColumn={column + 6}"
    assert out.startswith(
        f"::error title=inplace-lint (IPL101),file=n.ipynb,{place}::n.ipynb:cell 5:2:1: IPL101 "
    )
    assert "save: n.ipynb:cell 3:2:5: " in out
    _, out, _ = call("check", "--output-format", "sarif", "n.ipynb")
    (result,) = json.loads(out)["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {
        "startLine": row,
        "startColumn": column,
        "endLine": row,
        "endColumn": column + 6,
    }
    assert "fixes" not in result


@pytest.mark.parametrize("form", ["gitlab", "azure", "pylint", "rdjson"])
def test_what_other_programs_show_beside_the_file_has_its_rows(call: Call, form: str) -> None:
    row = next(i for i, line in enumerate(BOOK.decode().split("\n"), 1) if '"b += 1' in line)
    said = {
        "gitlab": f'"lines": {{"begin": {row}, "end": {row}}}',
        "azure": f"linenumber={row};columnnumber=6;",
        "pylint": f"n.ipynb:{row}: [IPL101",
        "rdjson": f'"line": {row},',
    }
    _, out, _ = call("check", "--output-format", form, "n.ipynb")
    assert said[form] in out


def test_what_people_read_names_cells(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, out, _ = call("check", "--output-format", "junit", "n.ipynb")
    assert 'name="IPL101 saved-result-overwritten at cell 5:2:1"' in out
    assert "n.ipynb:cell 5:2:1: error: " in out
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    call("check", "--output-format", "github", "n.ipynb")
    summary = (tmp_path / "summary.md").read_text()
    assert "| n.ipynb:cell 5:2 | error IPL101 |" in summary
    assert "<br>n.ipynb:cell 3:2: SigmoidBackward0" in summary


def test_json_v2_tells_of_cells_that_were_not_read(call: Call) -> None:
    Path("n.ipynb").write_bytes(raw("x = 1", "x = ("))
    _, out, _ = call("check", "--output-format", "json-v2", "n.ipynb")
    (gap,) = json.loads(out)["incomplete"]["unreadable"]
    assert (gap["cell"], gap["location"]) == (2, {"row": 1, "column": 5})


def test_every_format_names_a_finding_by_the_same_fingerprint(call: Call) -> None:
    (found,) = json.loads(call("check", "--output-format", "json", "n.ipynb")[1])
    log = json.loads(call("check", "--output-format", "sarif", "n.ipynb")[1])
    (prints,) = (result["partialFingerprints"] for result in log["runs"][0]["results"])
    assert list(prints.values()) == [found["fingerprint"]]


def test_a_fix_changes_one_line(call: Call) -> None:
    status, out, err = call("check", "--fix", "n.ipynb")
    assert (status, out) == (0, "")
    assert err == "Found 1 finding (1 fixed, 0 remaining) in 1 file.\n"
    assert Path("n.ipynb").read_bytes() == BOOK.replace(b"b += 1", b"b = b + 1")


def test_a_difference_is_one_of_cells(call: Call) -> None:
    status, out, _ = call("check", "--diff", "n.ipynb")
    assert status == 1
    assert out == (
        "--- n.ipynb:cell 5\n+++ n.ipynb:cell 5\n@@ -1,3 +1,3 @@\n"
        " %%time\n-b += 1\n+b = b + 1\n b.sum().backward();\n"
    )
    assert Path("n.ipynb").read_bytes() == BOOK


def test_standard_input_is_a_notebook_by_its_name(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for argv in (("--stdin-filename", "x.ipynb"), ("--stdin-filename", "x.ipynb", "--fix")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BOOK)))
        status, out, err = call("check", "-", *argv)
        assert status == (0 if "--fix" in argv else 1)
        assert (out.encode() == BOOK.replace(b"b += 1", b"b = b + 1")) == ("--fix" in argv), err


def test_an_attention_in_a_notebook_is_fixed_in_its_cell(call: Call) -> None:
    attention = """\
def attend(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v)"""
    Path("n.ipynb").write_bytes(data := raw("!ls\nimport torch", attention, "%time y = attend(x, x, x)"))
    call("check", "--fix", "--unsafe-fixes", "n.ipynb")
    fixed = Path("n.ipynb").read_bytes()
    first, second, third = sources(fixed)
    assert "F.scaled_dot_product_attention(q, k, v" in second.replace("torch.nn.functional.", "F.")
    assert third == "%time y = attend(x, x, x)"
    assert first.startswith("!ls\nimport torch")
    assert sources(data) != sources(fixed)


def test_comments_silence_findings_of_their_line_and_of_the_whole_notebook(call: Call) -> None:
    for at, text in (
        (b"b += 1", b"b += 1  # inplace-lint: ignore[IPL101]"),
        (b"b += 1", b"b += 1  # noqa: IPL101"),
        (b"import torch", b"import torch  # inplace-lint: file-ignore[IPL101]"),
    ):
        Path("n.ipynb").write_bytes(BOOK.replace(at, text))
        assert call("check", "n.ipynb")[:2] == (0, "")
    Path("n.ipynb").write_bytes(BOOK.replace(b"b?", b"c = 1  # inplace-lint: ignore[IPL101]"))
    _, out, _ = call("check", "--output-format", "concise", "--select", "IPL001", "n.ipynb")
    assert out.startswith("n.ipynb:cell 6:1:8: warning[IPL001] ")


def test_a_cell_that_is_no_python_is_told_and_the_rest_is_checked_and_fixed(call: Call) -> None:
    data = raw("x = (", MAKE, SAVE, "print 'x'", WRITE)
    Path("n.ipynb").write_bytes(data)
    status, out, _ = call("check", "--output-format", "concise", "n.ipynb")
    assert [line.split(" ", 2)[1] for line in out.splitlines()] == ["1:1:5:", "4:1:1:", "5:2:1:"]
    status, out, err = call("check", "--fix", "n.ipynb")
    assert status == 1
    assert "1 fixed, 2 remaining" in err
    assert Path("n.ipynb").read_bytes() == data.replace(b"b += 1", b"b = b + 1")


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[1]", b"\xff", b'{"cells": 1, "nbformat": 4}', b"{" * 100_000]
)
def test_what_is_no_notebook_is_an_error_and_is_left_alone(call: Call, data: bytes) -> None:
    Path("n.ipynb").write_bytes(data)
    for options in ((), ("--fix",), ("--diff",), ("--output-format", "sarif"), ("--output-format", "github")):
        status, out, err = call("check", *options, "n.ipynb")
        assert "Traceback" not in out + err
        if "--diff" not in options:
            assert status == 1
            assert "IPL000" in out
        assert Path("n.ipynb").read_bytes() == data


def test_a_notebook_under_another_name_is_no_python(call: Call) -> None:
    Path("n.py").write_bytes(BOOK)
    status, out, _ = call("check", "n.py")
    assert status == 1
    assert "this is a Jupyter notebook, and not called one: give it a name that ends in `.ipynb`" in out


@pytest.mark.parametrize(
    "argv",
    [
        ("confirm", "n.ipynb"),
        ("measure", "n.ipynb::f"),
        ("trace", "n.ipynb"),
        ("capture", "n.ipynb"),
    ],
)
def test_verbs_that_run_files_say_that_a_notebook_is_none(call: Call, argv: tuple[str, str]) -> None:
    status, out, err = call(*argv)
    assert (status, out) == (2, "")
    assert err.startswith(f"inplace-lint: {argv[0]} takes Python files, and n.ipynb is a notebook: ")


JUPYTEXT = """\
# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %%
import torch
%matplotlib inline
a = torch.ones(3, requires_grad=True)

# %% [markdown]
# Text

# %%
# %time x = 1
b = torch.sigmoid(a)
!ls
b += 1
b.sum().backward()
"""
DATABRICKS = JUPYTEXT.replace(JUPYTEXT[: JUPYTEXT.index("# %%")], "# Databricks notebook source\n").replace(
    "# %%", "# COMMAND ----------\n# MAGIC %md"
)


@pytest.mark.parametrize(
    "text", [JUPYTEXT, DATABRICKS, JUPYTEXT[JUPYTEXT.index("# %%") :], DATABRICKS.replace("%matplotlib", "#")]
)
def test_a_script_of_cells_may_have_lines_of_ipython(call: Call, text: str) -> None:
    Path("s.py").write_text(text)
    row = text.split("\n").index("b += 1") + 1
    _, out, _ = call("check", "--output-format", "concise", "s.py")
    assert out.startswith(f"s.py:{row}:1: error[IPL101] ")
    assert call("check", "--fix", "s.py")[0] == 0
    assert Path("s.py").read_text() == text.replace("b += 1", "b = b + 1")
    Path("s.py").write_text(text.replace("b += 1", "b += 1  # inplace-lint: ignore[IPL101]"))
    assert call("check", "s.py")[:2] == (0, "")


def test_lines_of_ipython_in_any_other_file_are_no_python(call: Call) -> None:
    Path("s.py").write_text("import torch\n!ls\n")
    status, out, _ = call("check", "--output-format", "concise", "s.py")
    assert (status, out.startswith("s.py:2:1: error[IPL000] syntax error")) == (1, True)
    Path("s.py").write_text(JUPYTEXT + "x = (\n")
    _, out, _ = call("check", "--output-format", "concise", "s.py")
    assert "error[IPL000] syntax error" in out


def test_sentences_name_lines_of_cells(call: Call) -> None:
    attention = """\
def attend(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    assert weights.shape[0] == 1
    return torch.matmul(weights, v)"""
    Path("n.ipynb").write_bytes(raw("# line 1\nimport torch", attention))
    _, out, _ = call("check", "n.ipynb")
    assert "asserted on line 4 of cell 2 goes with it" in out
    Path("n.ipynb").write_bytes(raw("import torch", "x = (\ny = = 2", "a = 1\nb = '''\n"))
    _, out, _ = call("check", "--output-format", "concise", "n.ipynb")
    assert "unterminated triple-quoted string literal (detected at line 2 of cell 3" in out


def test_comments_and_baselines_know_findings_of_cells(call: Call) -> None:
    call("check", "--write-baseline", "known.json", "n.ipynb")
    assert call("check", "--baseline", "known.json", "n.ipynb")[:2] == (0, "")
    call("check", "--add-ignore", "n.ipynb")
    assert Path("n.ipynb").read_bytes() == BOOK.replace(b"b += 1", b"b += 1  # inplace-lint: ignore[IPL101]")
    Path("n.ipynb").write_bytes(Path("n.ipynb").read_bytes().replace(b"torch.sigmoid", b"torch.cos"))
    call("check", "--fix", "n.ipynb")
    assert Path("n.ipynb").read_bytes() == BOOK.replace(b"torch.sigmoid", b"torch.cos")


def test_explain_takes_a_place_in_a_cell(call: Call) -> None:
    status, out, err = call("explain", "n.ipynb:cell 5:2")
    assert (status, err) == (0, "")
    assert out.startswith("n.ipynb:cell 5:2: b += 1\n")
    assert "line 2 of cell 3" in out
    assert call("explain", "n.ipynb:cell 5:2:1")[1] == out
    for place, why in (
        ("n.ipynb:3", "n.ipynb is a notebook: write a place in it as n.ipynb:cell 3:12"),
        ("n.ipynb:cell 4:1", "n.ipynb has no line 1 in a cell 4 of Python"),
        ("n.ipynb:cell 5:9", "n.ipynb has no line 9 in a cell 5 of Python"),
        ("n.ipynb:cell 0:1", "n.ipynb:cell 0: cannot be read"),
        ("m.ipynb:cell 1:1", "m.ipynb: cannot be read"),
    ):
        status, out, err = call("explain", place)
        assert (status, out) == (2, "")
        assert why in err, err
