"""However a part is built that writes its input, what was saved of that input is found: judged in torch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

PARTS = """import torch
from torch import nn


class Part(nn.Module):
    def __init__(self, n, active):
        super().__init__()
        self.active = active
        if active:
            self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(n, n, 1)

    def forward(self, x):
        if self.active:
            x = self.relu(x)
        return self.conv(x)


def part(n, active):
    return Part(n=n, active=active)


def chain(n):
    return nn.Sequential(part(n, active=True), nn.Conv2d(n, n, 1))
"""
NET = """

class Net(nn.Module):
    def __init__(self, n, count):
        super().__init__()
        self.short = nn.Conv2d(n, n, 1)
{build}

    def built(self, n):
        return nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(n, n, 1))

    def of_parts(self, n):
        layers = [Part(n, True)]
        return nn.Sequential(*layers)

    @staticmethod
    def by_name(n):
        return chain(n)

    def forward(self, x):
        x = torch.tanh(self.short(x)) if {saved} else self.short(x)
        return self.body(x) * 2
"""
WAYS = {
    "its class": "self.body = Part(n, True)",
    "keyword": "self.body = Part(n, active=True)",
    "function": "self.body = part(n, active=True)",
    "function of functions": "self.body = chain(n)",
    "method": "self.body = self.built(n)",
    "method with a list": "self.body = self.of_parts(n)",
    "static method": "self.body = self.by_name(n)",
    "add_module": 'self.body = nn.Sequential()\nself.body.add_module("first", part(n, True))',
    "add_module in a loop": "self.body = nn.Sequential()\nfor i in range(count):\n"
    '    self.body.add_module("part{}".format(i), part(n, active=True))',
    "append": "self.body = nn.Sequential()\nfor i in range(3):\n    self.body.append(Part(n, True))",
    "list of unknown length": "self.body = nn.Sequential(*[Part(n, True) for _ in range(count)])",
    "the first of a list": "layers = []\nfor i in range(count):\n    layers += [Part(n, True), nn.Conv2d(n, n, 1)]\n"
    "layers.append(nn.Conv2d(n, n, 1))\nself.body = nn.Sequential(*layers)",
    "taken out of a list": "parts = nn.ModuleList()\nfor i in range(count):\n    parts.append(part(n, True))\n"
    "self.body = parts[0]",
    "a list with what is skipped": "layers = nn.ModuleList()\nfor i in range(count):\n    level = nn.Sequential()\n"
    "    if i == 0:\n        level.add_module('a', Part(n, True))\n        layers.append(level)\n        continue\n"
    "    level.add_module('b', nn.Conv2d(n, n, 1))\n    layers.append(level)\nself.body = layers[0]",
}


@pytest.mark.parametrize("files", [1, 2])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("saved", [True, False])
def test_a_part_writes_its_input_however_it_is_built(
    way: str, saved: bool, files: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = "\n".join(f"        {line}" for line in WAYS[way].splitlines())
    net = NET.format(build=build, saved=saved)
    (tmp_path / "parts_of_net.py").write_text(PARTS)
    head = "import torch\nfrom torch import nn\n\nfrom parts_of_net import Part, chain, part\n"
    text = PARTS + net if files == 1 else head + net
    path = tmp_path / "net.py"
    path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    space: dict[str, type[torch.nn.Module]] = {}
    exec(compile(text, "net.py", "exec"), space)
    sys.modules.pop("parts_of_net", None)
    assert _raises(space["Net"](2, 3)) is saved
    found = check_source(str(path), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert {one.code for one in found if one.severity == "error"} == ({"IPL101"} if saved else set())


def _raises(net: torch.nn.Module) -> bool:
    try:
        net(torch.randn(1, 2, 4, 4)).sum().backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False
