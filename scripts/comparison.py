"""Writes docs/comparison.md: what inplace-lint and its neighbours can do, and what each says of the same few hazards.

`python -m scripts.comparison` runs the tools that are on the PATH, each from an environment of its own; what is asked
of them is in benchmarks/comparison/features.toml. A cell rests on a command and what it prints, or on a named source.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
ASKED = ROOT / "benchmarks/comparison"
PAGE = ROOT / "docs/comparison.md"

#: The tools, and where their help tells what they can do.
HELP = {
    "inplace-lint": ("inplace-lint --help", "inplace-lint check --help", "inplace-lint config"),
    "ruff": ("ruff --help", "ruff check --help"),
    "mypy": ("mypy --help",),
    "pyright": ("pyright --help",),
    "torchfix": ("torchfix --help",),
    "fixit": ("fixit --help", "fixit lint --help", "fixit fix --help"),
}
#: How each is run on a sample, with all that it has to say; mypy and pyright are given PyTorch's types.
RUNS = {
    "inplace-lint": "inplace-lint check --isolated --output-format concise {file}",
    "ruff": "ruff check --isolated --output-format concise {file}",
    "ruff --select ALL": "ruff check --isolated --preview --select ALL --output-format concise {file}",
    "mypy": "mypy --strict --no-incremental --python-executable {python} {file}",
    "pyright": "pyright --pythonpath {python} {file}",
    "torchfix": "torchfix --select ALL {file}",
    "fixit": "fixit lint {file}",
}

SILENCED = """\
import torch

y = torch.sigmoid(torch.ones(3, requires_grad=True))
y += 1  # noqa: IPL101
y.sum().backward()
"""


def printed(command: str, folder: str = ".") -> str:
    """What a command prints, on both streams."""
    done = subprocess.run(
        shlex.split(command),
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout


def prepared(folder: Path) -> dict[str, str]:
    """Small files that commands are given, and the interpreters of the tools that have an API."""
    (folder / "silenced.py").write_text(SILENCED)
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    source = (
        "import os\nx: int = 'a'\nimport torch\ntorch.load('a')\nprint(f'a' + undefined)\nassert x == None\n"
    )
    book = {"cells": [{**cell, "source": source}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "book.ipynb").write_text(json.dumps(book))
    (folder / "nested").mkdir()
    (folder / "nested/inplace-lint.toml").write_text('ignore = ["IPL105"]\n')
    (folder / "nested/a.py").write_text("x = 1\n")
    named = {
        "silenced": "silenced.py",
        "notebook": "book.ipynb",
        "nested": "nested/a.py",
        "python": sys.executable,
    }
    for tool in ("mypy", "fixit"):
        named[f"{tool}-python"] = str(Path(shutil.which(tool) or tool).with_name("python"))
    return named


def answer(
    tool: str, feature: dict[str, Any], named: dict[str, str], helps: dict[str, str], folder: str
) -> tuple:
    """Whether a tool has a feature (yes, part, no), and how that is known."""
    asked = feature.get(tool, feature.get("help"))
    if tool not in feature:
        found = re.search(asked, helps[tool])
        said = (
            " ".join(found[0].split()) if found and len(found[0]) < 40 else "has it" if found else "has none"
        )
        return ("yes" if found else "no"), f"`{HELP[tool][min(1, len(HELP[tool]) - 1)]}`: {said}"
    if isinstance(asked, str):
        value, _, source = asked.partition(": ")
        return value, source
    command, pattern = asked
    for name, value in named.items():
        command = command.replace("{" + name + "}", value)
    found = re.search(pattern, printed(command, folder))
    shown = re.sub(r"\{([a-z]+-)?python\}", "python", asked[0])
    return ("yes" if found else "no"), f"`{shown}` {'prints' if found else 'does not print'} `{pattern}`"


def table() -> str:
    """The table of features, and below it how each cell is known."""
    features = tomllib.loads((ASKED / "features.toml").read_text(encoding="utf-8"))["feature"]
    helps = {tool: "\n".join(map(printed, commands)) for tool, commands in HELP.items()}
    rows = ["| | " + " | ".join(HELP) + " |", "|---" * (len(HELP) + 1) + "|"]
    known = []
    with tempfile.TemporaryDirectory() as folder:
        named = prepared(Path(folder))
        for feature in features:
            cells = {tool: answer(tool, feature, named, helps, folder) for tool in HELP}
            rows.append(f"| {feature['name']} | " + " | ".join(value for value, _ in cells.values()) + " |")
            known.append(f"\n**{feature['name']}**\n")
            known += [f"- {tool}: {value}; {how}" for tool, (value, how) in cells.items()]
    return "\n".join([*rows, "", "## How each cell is known", *known, ""])


def samples() -> str:
    """What each tool says of each sample."""
    parts = []
    for path in sorted((ASKED / "samples").glob("*.py")):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / path.name).write_bytes(path.read_bytes())
            lines = path.read_text(encoding="utf-8").splitlines()
            marked = next(number for number, line in enumerate(lines, 1) if "  # " in line)
            told = []
            for tool, command in RUNS.items():
                said = printed(command.format(file=path.name, python=sys.executable), folder)
                own = [
                    line.strip() for line in said.splitlines() if re.search(rf"{path.name}:{marked}:", line)
                ]
                told.append(f"{tool}:")
                told += [f"    {re.sub(r'^.*?' + path.name, path.name, line)}" for line in own] or [
                    "    nothing"
                ]
        code = "\n".join(lines[3:]).strip()
        parts.append(
            f"`{path.name}`:\n\n```python\n{code}\n```\n\nOn line {marked}:\n\n```text\n"
            + "\n".join(told)
            + "\n```\n"
        )
    return "\n".join(parts)


def versions() -> str:
    commands = {
        tool: "inplace-lint version" if tool == "inplace-lint" else f"{tool} --version" for tool in HELP
    }
    return ", ".join(
        f"{tool} {re.search(r'[0-9]+[.][0-9.]+', printed(command))[0]}" for tool, command in commands.items()
    )


def page() -> str:
    return f"""\
# Comparison with other tools

Made by running them: `python -m scripts.comparison` with {versions()}.
They have other aims: ruff and Fixit are linters for any Python, mypy and pyright check types, TorchFix mends calls of
old PyTorch. Use them beside this. `part` is less than the row says, or made by others; below the table is how each cell
is known.

{table()}
## What each says of the same lines

Each tool was run on five short files. mypy (`--strict`) and pyright had PyTorch's types at hand, TorchFix all its
rules, ruff its defaults and then all its rules. Shown is what was said of the marked line. In `right.py` nothing is
wrong.

{samples()}"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
