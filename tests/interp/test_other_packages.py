"""Modules and lists of modules whose classes are of another package are followed as torch's own: judged in torch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

#: Another package, which is not among the files of the project.
ELSEWHERE = """import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, options=None):
        super().__init__()
        self.options = options


class Listed(Base, nn.ModuleList):
    def __init__(self, modules=None, options=None):
        nn.ModuleList.__init__(self, modules)
        self.options = options


class Copies(nn.Module):
    # calls what it is given on copies
    def __init__(self, modules):
        super().__init__()
        self.inner = nn.ModuleList(modules)

    def forward(self, x):
        for module in self.inner:
            x = module(x.clone())
        return x.clone()
"""
PROGRAM = """import torch
from torch import nn
from package_elsewhere import Base, Copies, Listed


class Part({base}):
    def __init__(self, n, options=None):
        super().__init__()
        self.conv = nn.Conv2d(n, n, 1)
        self.last = {last}
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x):
        return self.last(self.conv(x)) * self.scale if {scaled} else self.last(self.conv(x))


class Net({base}):
    def __init__(self, n=2, count=2):
        super().__init__()
{build}

    def forward(self, x):
        total = self.parts[0](x)
        for part in self.parts:
            x = part(x)
            {write}
        return total
"""
WAYS = {
    "comprehension": "self.parts = Listed([Part(n) for _ in range(count)])",
    "literal": "self.parts = Listed([Part(n), Part(n)], options=None)",
    "list": "parts = []\nfor _ in range(count):\n    parts.append(Part(n))\nself.parts = Listed(parts)",
    "append": "self.parts = Listed()\nfor _ in range(count):\n    self.parts.append(Part(n))",
    "append to a name": "parts = Listed()\nfor _ in range(count):\n    parts.append(Part(n))\nself.parts = parts",
    "extend": "self.parts = Listed()\nself.parts.extend([Part(n), Part(n)])",
}
#: What is done with what a part returned: whether its last layer saved that, and it is written.
WRITES = {
    "written": ("nn.Sigmoid()", "total += x; x *= 2", False, True),
    "of what is not saved": ("nn.BatchNorm2d(n)", "x = x * 1; x += 1", False, False),
    "not what was saved": ("nn.Sigmoid()", "total = total + x; x = x * 1; x += 1", False, False),
    "by the buffer": ("nn.Sigmoid()", "total = total + x; self.parts[0].scale.mul_(2)", True, True),
}


@pytest.mark.parametrize("base", ["nn.Module", "Base"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("write", WRITES)
def test_modules_in_lists_of_another_package(
    write: str, way: str, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = "\n".join(f"        {line}" for line in WAYS[way].splitlines())
    last, written, scaled, raises = WRITES[write]
    text = PROGRAM.format(base=base, build=build, last=last, write=written, scaled=scaled)
    assert _raises(text, tmp_path, monkeypatch) is raises
    assert bool(_errors(text, tmp_path)) is raises


CALLED = """import torch
from torch import nn
from package_elsewhere import Copies


class Net(nn.Module):
    def __init__(self, n=2):
        super().__init__()
        self.conv = nn.Conv2d(n, n, 1)
        self.parts = Copies([nn.ReLU(inplace=True), nn.Conv2d(n, n, 1), nn.Sigmoid()])

    def forward(self, x):
        x = self.parts(torch.tanh(self.conv(x)))
        x += 1
        return x
"""


def test_what_a_list_of_another_package_does_when_it_is_called_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not _raises(CALLED, tmp_path, monkeypatch)
    assert not _errors(CALLED, tmp_path)


RULES = Path(__file__).parents[2] / "rules"
CASES = [case for case in sorted(RULES.glob("IPL[12]*/cases/*.py")) if "nn.Module" in case.read_text()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parts[-3][:6]} {case.stem}")
def test_it_does_not_matter_whose_module_a_class_derives_from(case: Path) -> None:
    text = case.read_text()
    moved, names = text, []
    for name, other in (("Module", "Base"), ("ModuleList", "Listed")):
        moved, count = re.subn(rf"\b(torch\.)?nn\.{name}\b", other, moved)
        names += [other] * bool(count)
    added = f"; from package_elsewhere import {', '.join(names)}"
    moved = re.sub(r"^((?:import|from) torch\b[^(\n]*)$", rf"\1{added}", moved, count=1, flags=re.M)
    assert added in moved
    assert _errors(moved, case.parent) == _errors(text, case.parent)


def _errors(text: str, folder: Path) -> set[tuple[str, int]]:
    found = check_source(str(folder / "program.py"), text.encode(), Settings(), Project(root=str(folder)))
    return {(one.code, one.location.row) for one in found if one.severity != "note"}


def _raises(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    elsewhere = folder / "site"
    elsewhere.mkdir()
    (elsewhere / "package_elsewhere.py").write_text(ELSEWHERE)
    monkeypatch.syspath_prepend(str(elsewhere))
    space: dict[str, type[torch.nn.Module]] = {}
    exec(compile(text, "program.py", "exec"), space)
    try:
        space["Net"]()(torch.randn(2, 2, 4, 4)).sum().backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False
