"""What a declaration may say, and what is said where it cannot be understood."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_lint.cli import main
from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings
from inplace_lint.project.configuration import Configuration
from inplace_lint.project.declarations import WORDS, of_table, read
from inplace_lint.project.errors import ConfigurationError

HERE = ("a.py", 3)


def test_words_are_read() -> None:
    said = read("takes(x, /, weight, *rest, eps), saves(x, result), returns(new, view(weight))", HERE)
    assert said.takes == ("x", "/", "weight", "*rest", "eps")
    assert said.saves == ("x", "result") and said.returns == (("new", ""), ("view", "weight"))
    assert said.place == HERE and not (said.writes or said.no_grad or said.module)


def test_a_table_says_the_same_as_words() -> None:
    table = {
        "takes": ["x", "y"],
        "writes": "x",
        "returns": ["same(x)", "new"],
        "no_grad": True,
        "detaches": False,
    }
    assert of_table(table, HERE) == read("takes(x, y), writes(x), returns(same(x), new), no_grad", HERE)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "needs words"),
        ("wrties(x)", "`wrties` is no word of a declaration; did you mean `writes`?"),
        ("writes", "`writes` needs parentheses"),
        ("writes()", "`writes()` names nothing"),
        ("writes(x", "is not closed"),
        ("writes(x) returns(new)", "`returns` is not understood after `writes`: commas part the words"),
        ("writes(x),", "`,` is not understood"),
        ("writes(x), writes(y)", "`writes` is said twice"),
        ("writes(x, x)", "`x` is named twice"),
        ("writes(x.y)", "`x.y` is no parameter's name"),
        ("writes(*x)", "`*x` is no parameter's name"),
        ("writes(1)", "`1` is no parameter's name"),
        ("returns()", "`returns()` names nothing"),
        ("returns(nwe)", "`nwe` is no result: write one of new, same(x)"),
        ("returns(same)", "`same` is no result"),
        ("returns(new(x))", "`new(x)` is no result"),
        ("returns(unknown, new)", "cannot be one of several"),
        ("saves(result)", "`saves(result)` needs a `returns(…)`"),
        ("no_grad, saves(x)", "contradict"),
        ("writes(x), writes_unseen(y)", "cannot both be said"),
        ("parameters", "goes with `module`"),
        ("takes(x), writes(y)", "`y` is not among what it `takes`"),
    ],
)
def test_wrong_words_are_told(words: str, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        read(words, HERE)
    assert problem in str(caught.value)


OPS = """\
import torch

if torch:
    def fused(x, scale=1.0):
        return x


class Gate(torch.nn.Module):
    def forward(self, x):
        return x

    def step(self, x, *, mode=None):
        return x


class Plain:
    pass
"""


@pytest.mark.parametrize(
    ("key", "words", "problem"),
    [
        ('"pkg.ops:fused"', '"wrties(x)"', "`wrties` is no word of a declaration"),
        ('"pkg.ops:fused"', '"writes(y)"', "`fused` has no parameter `y`: it takes `x`, `scale`"),
        ('"pkg.ops:fused"', '"takes(x), writes(x)"', "`fused` takes `x`, `scale`"),
        ('"pkg.ops:fusd"', '"writes(x)"', "pkg/ops.py defines no function or class `fusd`"),
        ('"pkg.ops:Gate.jump"', '"writes(x)"', "defines no function or class `jump`"),
        ('"pkg.ops:Plain"', '"writes(x)"', "defines neither `forward` nor `__call__`"),
        ('"pkg.ops.fused"', '"writes(x)"', "a function is named package.module:function"),
        ('"pkg:a b"', '"writes(x)"', "a function is named package.module:function"),
        ('"pkg.ops:fused"', "3", "must be a string of words"),
        ('"pkg.ops:fused"', "{ writes = 3 }", "`writes` must be a string or a list of strings"),
        ('"pkg.ops:fused"', "{ no_grad = 1 }", "`no_grad` must be true or false"),
        ('"pkg.ops:fused"', "{ wrties = 1 }", "did you mean `writes`?"),
        ('"other.ops:fused"', '"writes(x)"', "`other.ops` is no file of this project: say its parameters"),
    ],
)
def test_wrong_entry_of_the_configuration_is_told_with_its_line(
    key: str,
    words: str,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "ops.py").write_text(OPS)
    head = (
        '[tool.inplace-lint]\nselect = ["IPL1"]\n\n[tool.inplace-lint.models]\n"pkg.ops:Gate" = "writes(x)"'
    )
    text = f"{head}\n{key} = {words}\n"
    (tmp_path / "pyproject.toml").write_text(text)
    assert main(["check", "pkg"]) == 2
    assert capsys.readouterr().err.startswith("inplace-lint: pyproject.toml:6: `models` ")
    with pytest.raises(ConfigurationError) as caught:
        Configuration().settings(".")
    assert problem in str(caught.value) and caught.value.line == 6


@pytest.mark.parametrize(
    "line",
    [
        '"pkg.ops:fused" = "writes(x), returns(same(x))"',
        "\"pkg.ops:fused\" = { writes = ['x'], returns = 'same(x)' }",
        '"pkg.ops:Gate.step" = "takes(x, *, mode), writes(x)"',
        '"pkg.ops:Gate.step" = "saves(self, mode)"',
        '"other.ops:fused" = "takes(x), writes(x)"',
        '"other.ops:fused" = "no_grad, returns(no_tensor)"',
        '"torch.ops.mine:fused" = "takes(x), writes(x)"',
    ],
)
def test_right_entries_are_taken(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "ops.py").write_text(OPS)
    (tmp_path / "src" / "pkg" / "__init__.py").touch()
    (tmp_path / "inplace-lint.toml").write_text(f"[models]\n{line}\n")
    ((key, said),) = Configuration().settings(".").models
    assert f'"{key}"' in line and said.place == ("inplace-lint.toml", 2)


def test_a_declaration_can_be_given_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(
        "import torch\nfrom lib import fill\n\n\ndef f(x):\n    y = torch.exp(x)\n    fill(y)\n    return y\n"
    )
    given = 'models={"lib:fill" = "takes(x), writes(x)"}'
    assert main(["check", "a.py", "--config", given, "--output-format", "concise"]) == 1
    assert (
        "a.py:7:5: error[IPL101] [*] `y` is changed in place by this call after exp saved it"
        in capsys.readouterr().out
    )
    assert main(["check", "a.py", "--config", 'models={"lib:fill" = "writes(x)"}']) == 2
    assert "say its parameters" in capsys.readouterr().err


def test_settings_are_shown_with_declarations_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inplace-lint.toml").write_text('[models]\n"lib:fill" = { takes = ["x"], writes = ["x"] }\n')
    assert main(["config", "models"]) == 0
    assert 'models = {"lib:fill" = "takes(x), writes(x)"}' in capsys.readouterr().out


WORD = st.sampled_from(
    [*WORDS, "x", "y", "new", "same", "result", "(", ")", ",", "*", "=", "#", " ", "é", "\\", "'", "[", "1"]
)


@given(st.one_of(st.text(max_size=40), st.lists(WORD, max_size=12).map("".join)))
@settings(max_examples=300)
def test_any_words_are_read_or_told(words: str) -> None:
    try:
        said = read(words, HERE)
    except ValueError as error:
        assert str(error)
    else:
        assert read(said.text, HERE) == said


@given(st.one_of(st.text(max_size=40), st.lists(WORD, max_size=12).map("".join)))
@settings(max_examples=60)
def test_any_comment_is_taken(words: str) -> None:
    words = "".join(words.splitlines())
    text = f"import torch\n\n\n# inplace-lint: {words}\ndef f(x, y):  # inplace-lint: {words}\n    return x.exp_()\n"
    found = examine("a.py", text.encode("utf-8", "replace"), Settings())
    assert {one.code for one in found} <= {"IPL001", "IPL004", "IPL205", "IPL302", "IPL000"}


def test_a_function_is_found_behind_any_number_of_branches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    branches = "".join(f"elif kind == {number}:\n    pass\n" for number in range(1200))
    (tmp_path / "ops.py").write_text(
        f"kind = 0\nif kind:\n    pass\n{branches}else:\n    def f(x):\n        return x\n"
    )
    (tmp_path / "a.py").write_text("x = 1\n")
    config = '[tool.inplace-lint.models]\n"ops:f" = "returns(same(x))"\n"ops:g" = "returns(new)"\n'
    (tmp_path / "pyproject.toml").write_text(config)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "a.py"]) == 2
    assert "pyproject.toml:3" in (said := capsys.readouterr().err) and "no function or class `g`" in said
