"""A file's findings do not depend on which files were checked before it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inplace_lint import Result, check_paths
from inplace_lint.interp import program

from . import changing

#: Names of tests that belong together, two by two, in the order in which a small diagram tells them apart.
PAIRS = [(f"A{i}", f"B{i}") for i in range(8)]
NAMES = [name for pair in PAIRS for name in pair]


def parts() -> str:
    """A base that hands out its second argument where the two tests of a pair hold, and writes where they do not."""
    text = f"from torch import nn\nfrom flags import {', '.join(NAMES)}\n\n\nclass Base(nn.Module):\n"
    text += "    def pick(self, z, y):\n"
    for result in ("z = y", "return z"):
        for one, other in PAIRS:
            text += f"        if {one} == 1:\n            if {other} == 1:\n                {result}\n"
    text += "        z.add_(self.count)\n        return z\n"
    for name, order in (("First", NAMES), ("Second", sorted(NAMES))):
        text += f"\n\nclass {name}(Base):\n    def __init__(self):\n"
        text += "        super().__init__()\n        self.count = 0\n"
        text += "".join(f"        if {test} == 1:\n            self.count += 1\n" for test in order)
    return text


def net(base: str) -> str:
    """A class whose objects ask the tests in the order of that base."""
    return f"""\
import torch
from parts import {base}


class Net({base}):
    def forward(self, x):
        y = torch.sigmoid(x)
        self.pick(x.clone(), y)
        return y
"""


def told(result: Result) -> dict[str, list[tuple[object, ...]]]:
    """What is said of each file."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for one in result.diagnostics:
        plan = one.plan.told() if one.plan else None
        said = (one.code, one.location.key(), one.confidence, one.message, one.fix_refused, plan)
        labels = [(label.message, label.location.key()) for label in one.labels]
        found.setdefault(one.location.filename, []).append((*said, *labels))
    return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    files = {"parts.py": parts(), "one.py": net("First"), "two.py": net("Second")}
    files["gate.py"] = changing.GATE.format(where="helpers", comment="")
    files["helpers.py"] = changing.HELPERS["writes"] or ""
    for name, text in files.items():
        changing.put(Path(), name, text)
    return sorted(files)


@pytest.mark.parametrize("notes", [False, True])
def test_no_order_of_files_changes_what_is_found(project: list[str], notes: bool) -> None:
    settings = {"notes": notes, "min_confidence": "possible"}
    alone: dict[str, list[tuple[object, ...]]] = {}
    for name in project:
        program.forget(everything=True)
        alone |= told(check_paths([name], settings))
    assert alone["gate.py"]
    for seed in range(6):
        random.Random(seed).shuffle(project)
        program.forget(everything=True)
        assert told(check_paths(project, settings)) == alone, project
