"""Tensors of a container that code freezes one after the other may be written afterwards; torch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

#: Containers of more elements than a loop is unrolled for, and a write of one of them.
HELD = {
    "dict": (
        "held = {}\nfor i in range(3):\n    for j in range(i, 9):\n"
        "        held[(i, j)] = torch.zeros(8, requires_grad=True)\n",
        "held[(0, 2)][2] = 1\n",
    ),
    "attribute": (
        "class Holder:\n    def __init__(self, sizes):\n        self.held = {}\n        for level in range(1):\n"
        "            inner = {}\n            for a in range(sizes[level]):\n"
        "                for b in range(a + 1, sizes[level]):\n"
        "                    inner[(a, b)] = torch.zeros(8, requires_grad=True)\n"
        "            self.held[level] = inner\n\n\nholder = Holder({0: 9})\nheld = holder.held[0]\n",
        "holder.held[0][(0, 2)][2] = 1\n",
    ),
}
FREEZES = {
    "by key": "for key in held:\n    held[key].requires_grad = False\n",
    "by keys()": "for key in held.keys():\n    held[key].requires_grad_(False)\n",
    "values": "for value in held.values():\n    value.requires_grad = False\n",
    "list of values": "for value in list(held.values()):\n    value.requires_grad_(False)\n",
    "items": "for key, value in held.items():\n    value.requires_grad_(False)\n",
    "items by key": "for key, value in held.items():\n    held[key].requires_grad = False\n",
    "comprehension": "[value.requires_grad_(False) for value in held.values()]\n",
    "nothing": "",
    "other way": "for key in held:\n    held[key].requires_grad = True\n",
}


@pytest.mark.parametrize("freeze", FREEZES)
@pytest.mark.parametrize("held", HELD)
def test_all_elements_are_frozen_by_a_loop_over_them(tmp_path: Path, held: str, freeze: str) -> None:
    built, write = HELD[held]
    text = "import torch\n\n" + built + FREEZES[freeze] + write
    raises = False
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "leaf Variable" in str(error)
        raises = True
    assert raises == (freeze in ("nothing", "other way"))
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.code == "IPL103" for one in found) == raises
