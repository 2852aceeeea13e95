"""The examples run to their end, and their README shows what the tool and PyTorch print now.

`python tests/test_examples.py` writes both outputs into the README again.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import textwrap
from pathlib import Path
from unittest import mock

import pytest

from inplace_lint.cli import main

ROOT = Path(__file__).parents[1]
README = ROOT / "examples/README.md"
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
#: A command of the README, and what it prints.
BLOCK = re.compile(r"```console\n\$ (.*)\n((?:.*\n)*?)```")


def shown() -> dict[str, str]:
    """The README's commands with their outputs."""
    return dict(BLOCK.findall(README.read_text(encoding="utf-8")))


def printed(command: str) -> str:
    """What a terminal shows of a command of the README: a call of the tool, or a run of an example."""
    words = shlex.split(command)
    output, before = io.StringIO(), os.getcwd()
    os.chdir(ROOT)
    try:
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            mock.patch.dict(os.environ, {"NO_COLOR": "1"}),
        ):
            if words[0] == "inplace-lint":
                main(words[1:])
                return output.getvalue().strip() + "\n"  # as wide as it is: tables are aligned
            runpy.run_path(words[1], run_name="__main__")
    finally:
        os.chdir(before)
    return "".join(map(folded, output.getvalue().splitlines()))


def folded(line: str) -> str:
    """A line of an example's output; an error of PyTorch is a long one."""
    return textwrap.fill(line, 110, subsequent_indent="    ", drop_whitespace=len(line) > 110) + "\n"


def test_readme_shows_every_example() -> None:
    commands = {
        f"{program} examples/{name}" for name in EXAMPLES for program in ("inplace-lint check", "python")
    }
    measured = {command for command in shown() if command.startswith("inplace-lint measure ")}
    assert set(shown()) == commands | measured


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_reported_as_the_readme_shows(name: str) -> None:
    command = f"inplace-lint check examples/{name}"
    assert shown()[command] == printed(command)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_prints_what_the_readme_shows(name: str) -> None:
    pytest.importorskip("torch")
    command = f"python examples/{name}"
    assert shown()[command] == printed(command)


@pytest.mark.parametrize("command", [one for one in shown() if one.startswith("inplace-lint measure ")])
def test_example_is_measured_as_the_readme_shows(command: str) -> None:
    pytest.importorskip("torch")
    assert shown()[command] == printed(command)


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    fresh = BLOCK.sub(lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```", text)
    README.write_text(fresh, encoding="utf-8")
