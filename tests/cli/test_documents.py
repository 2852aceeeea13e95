"""What the documents tell people to type is understood."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.cli import main
from inplace_lint.cli.verbs import VERBS, verb
from inplace_lint.project.configuration import Configuration

ROOT = Path(__file__).parents[2]


def commands() -> Iterator[list[str]]:
    """The calls of inplace-lint in the documents' shell blocks and in the hook, as words."""
    for name in ("README.md", "CONTRIBUTING.md"):
        for block in re.findall(r"```sh\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL):
            for line in re.split(r"&&|\n", block):
                words = shlex.split(line.partition("<")[0], comments=True)
                if words and words[0].endswith("inplace-lint"):
                    yield words[1:]
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    yield re.findall(r"entry: inplace-lint (.*)", hook)[0].split()


GATE = """\
import torch
from torch import nn

class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        y += self.bias
        return y
"""


def test_first_finding_of_the_readme_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    (tmp_path / "model/gate.py").write_text(GATE, encoding="utf-8")
    main(["check", "model"])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == readme.split("```")[1].strip()


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_command_is_understood(words: list[str]) -> None:
    name, rest = (words[0], words[1:]) if words and words[0] in VERBS else ("check", words)
    own = verb(name)
    parser = own.parser(name)
    parser.read_program(rest) if own.program else parser.read(rest)


def test_rules_of_the_readme_are_all_rules() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (IPL\d{3}) \| ([a-z-]+) \|", text, re.MULTILINE)
    assert rows == [(rule.code, rule.name) for rule in registry.RULES if rule.code > "IPL003"]


def test_configuration_of_the_readme_is_valid(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(
        block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "min-confidence" in block
    )
    (tmp_path / "base.toml").write_text("")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/pyproject.toml").write_text(block, encoding="utf-8")
    settings = Configuration(selector_problem=registry.problem).settings(str(tmp_path / "project"))
    assert settings.ignore == ("IPL105",)
    assert settings.per_file_ignores == (("tests/*", ("IPL103",)),)
