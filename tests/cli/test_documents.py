"""What the documents tell people to type is understood."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.cli.options import Answered
from inplace_lint.cli.verbs import VERBS, verb

ROOT = Path(__file__).parents[2]


def commands() -> Iterator[list[str]]:
    """The calls of inplace-lint in the documents' shell blocks and in the hooks, as words."""
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in re.split(r"&&|\n", block):
                words = shlex.split(line.partition("<")[0], comments=True)
                if words and words[0].endswith("inplace-lint"):
                    yield words[1:]
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    for entry in re.findall(r"entry: inplace-lint (.*)", hook):
        yield entry.split()


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_command_is_understood(words: list[str]) -> None:
    name, rest = (words[0], words[1:]) if words and words[0] in VERBS else ("check", words)
    own = verb(name)
    parser = own.parser(name)
    with suppress(Answered):  # `--help`
        parser.read_program(rest) if own.program else parser.read(rest)


def test_rules_of_the_readme_are_all_rules() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (IPL\d{3}) \| ([a-z-]+) \|", text, re.MULTILINE)
    assert rows == [(rule.code, rule.name) for rule in registry.RULES if rule.code > "IPL004"]
