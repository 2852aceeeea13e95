"""The small verbs: rule, explain, config, version, and help."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import inplace_lint
from inplace_lint.checks import registry

Run = Callable[..., tuple[int, str, str]]
Write = Callable[[str, str], None]


def test_rule_prints_the_page(run: Run) -> None:
    code, out, _ = run("rule", "IPL101")
    assert code == 0
    assert out.startswith("# IPL101 saved-result-overwritten\n\n## What it does\n")
    assert run("rule", "saved-result-overwritten") == run("rule", "ipl101") == (code, out, "")


def test_rule_without_a_name_lists_all(run: Run) -> None:
    lines = run("rule")[1].splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in registry.RULES]
    pages = run("rule", "--all")[1]
    assert all(f"# {rule.code} {rule.name}\n" in pages for rule in registry.RULES)


def test_rule_as_json(run: Run) -> None:
    one = json.loads(run("rule", "IPL101", "--output-format", "json")[1])
    assert (one["code"], one["since"]) == ("IPL101", "0.1.0")
    assert one["explanation"].startswith("# IPL101")
    assert len(json.loads(run("rule", "--all", "--output-format", "json")[1])) == len(registry.RULES)


@pytest.mark.parametrize("name", ["IPL109", "saved-result-overwriten", "nonsense", "IPL1"])
def test_unknown_rule_exits_with_2(run: Run, name: str) -> None:
    code, out, err = run("rule", name)
    assert (code, out) == (2, "")
    assert name in err


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("a.py", "is no place: write it as model.py:12"),
        ("a.py:x", "is no place"),
        ("a.py:0", "is no place"),
        ("none.py:1", "none.py: cannot be read: No such file or directory"),
        ("a.py:9", "a.py has 2 lines, there is no line 9"),
        ("broken.py:1", "broken.py:1:7 cannot be read: syntax error"),
    ],
)
def test_explain_says_what_is_wrong_with_a_place(run: Run, write: Write, place: str, message: str) -> None:
    write("a.py", "x = 1\ny = 2\n")
    write("broken.py", "def f(:\n")
    code, out, err = run("explain", place)
    assert (code, out) == (2, "")
    assert message in err


def test_config_prints_values_that_can_be_read_again(run: Run, write: Write) -> None:
    defaults = run("config")[1]
    write(
        "inplace-lint.toml", "".join(line for line in defaults.splitlines(True) if not line.startswith("#"))
    )
    again = run("config")[1]
    assert again.splitlines()[1:] == defaults.splitlines()[1:]
    assert again.startswith("# from inplace-lint.toml\n")


def test_config_of_one_key(run: Run, write: Write) -> None:
    write("pyproject.toml", '[tool.inplace-lint]\nignore = ["IPL101"]\n')
    out = run("config", "ignore")[1]
    assert out.splitlines()[-1] == 'ignore = ["IPL101"]'
    assert "select" not in out
    code, _, err = run("config", "ignroe")
    assert code == 2
    assert "did you mean `ignore`?" in err


def test_version_and_help(run: Run) -> None:
    assert run("version") == run("--version") == (0, f"inplace-lint {inplace_lint.__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    for verb in ("check", "rule", "op", "explain", "config", "version"):
        assert f"\n  {verb} " in out
        assert run(verb, "--help")[0] == 0


@pytest.mark.parametrize("name", ["sigmoidd", "qqqqqqqqqqqq", "reshape_"])
def test_op_of_a_name_that_does_not_exist_is_a_wrong_call(run: Run, name: str) -> None:
    code, out, err = run("op", name)
    assert (code, out) == (2, "")
    assert f"`{name}`" in err
    assert ("The nearest real name is `torch.Tensor." in err) == (name[0] != "q")
