"""A safe fix keeps what the other files of a project compute: what they set anew, override, hook and keep."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from inplace_lint.cli import main

torch = pytest.importorskip("torch")

#: The file with the hazard: `h` is saved by the sigmoid, and written after the line that a case puts in.
BLOCKS = """\
import torch
from torch import nn

from . import config

LAST = []
ACTS = {{"sigmoid": nn.Sigmoid}}


def note(h):
    return None


class Block(nn.Module):
    def __init__(self, dim=4, act="sigmoid"):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.act = nn.Sigmoid()
        self.chosen = ACTS[act]()
        self.layers = nn.ModuleList([nn.Sigmoid()])
        self.keep = False
        self.kept = None
        self.calls = []

    @property
    def gate(self):
        return torch.sigmoid(self.lin.weight)

    def seen(self, h):
        return None

    def forward(self, x):
        h = self.act(self.lin(x))
        {line}
        h += 1
        return h * 2
"""
MAIN = """\
import torch
from torch import nn

from net import Block, blocks, config

torch.manual_seed(0)
x = torch.randn(3, 4, requires_grad=True)
{lines}
try:
    out.sum().backward()
except RuntimeError:
    pass
"""
WHEN_ASKED = "self.kept = h if self.keep else None"
KEPT = "out = block(x)\nout = out + block.kept"
RECORDS = (
    "class Records(nn.Module):\n    def forward(self, x):\n        self.last = torch.sigmoid(x)\n"
    "        return self.last\n\n\n"
)
LISTED = "out = block(x)\nout = out + KEPT[0]"
#: By what another file does: the line in `forward`, and the lines of the other file.
PROJECTS = {
    "sets a flag": (WHEN_ASKED, f"block = Block()\nblock.keep = True\n{KEPT}"),
    "sets a flag by its name": (WHEN_ASKED, f"block = Block()\nsetattr(block, 'keep', True)\n{KEPT}"),
    "sets a flag by a name that is computed": (
        WHEN_ASKED,
        f"block = Block()\nfor name in dir(block):\n    if name == 'keep':\n        setattr(block, name, True)\n{KEPT}",
    ),
    "sets a flag in a subclass": (
        WHEN_ASKED,
        "class Sub(Block):\n    def __init__(self):\n        super().__init__()\n        self.keep = True\n\n\n"
        f"block = Sub()\n{KEPT}",
    ),
    "overrides a method": (
        "self.seen(h)",
        f"class Sub(Block):\n    def seen(self, h):\n        self.kept = h\n\n\nblock = Sub()\n{KEPT}",
    ),
    "overrides a method, under another name of the base": (
        "self.seen(h)",
        "Base = Block\n\n\nclass Sub(Base):\n    def seen(self, h):\n        self.kept = h\n\n\n"
        f"block = Sub()\n{KEPT}",
    ),
    "replaces a function": ("note(h)", f"KEPT = []\nblocks.note = KEPT.append\nblock = Block()\n{LISTED}"),
    "replaces a method": (
        "self.seen(h)",
        f"KEPT = []\nBlock.seen = lambda self, h: KEPT.append(h)\nblock = Block()\n{LISTED}",
    ),
    "replaces a layer": (
        "pass",
        "class Same(nn.Module):\n    def forward(self, x):\n        self.last = torch.sigmoid(x)\n"
        "        return self.last\n\n\nblock = Block()\nblock.act = Same()\nout = block(x)\nout = out + block.act.last",
    ),
    "replaces a layer of a list": (
        "h = self.layers[0](self.lin(x))",
        f"{RECORDS}block = Block()\nblock.layers[0] = Records()\nout = block(x)\nout = out + block.layers[0].last",
    ),
    "adds a layer to a table": (
        "h = self.chosen(self.lin(x))",
        f"{RECORDS}blocks.ACTS['own'] = Records\nblock = Block(act='own')\n"
        "out = block(x)\nout = out + block.chosen.last",
    ),
    "overrides a property": (
        "h = self.gate",
        "class Sub(Block):\n    @property\n    def gate(self):\n        self.kept = torch.sigmoid(self.lin.weight)\n"
        "        return self.kept\n\n\nblock = Sub()\nout = block(x)\nout = out + block.kept",
    ),
    "puts a class before it": (
        "self.seen(h)",
        "class Keeps:\n    def seen(self, h):\n        self.kept = h\n\n\nclass Sub(Keeps, Block):\n    pass\n\n\n"
        f"block = Sub()\n{KEPT}",
    ),
    "replaces a function for a while": (
        "note(h)",
        "from unittest import mock\nKEPT = []\nblock = Block()\nwith mock.patch.object(blocks, 'note', KEPT.append):\n"
        "    out = block(x)\nout = out + KEPT[0]",
    ),
    "hooks a layer": (
        "pass",
        "KEPT = []\nblock = Block()\nblock.act.register_forward_hook(lambda m, i, o: KEPT.append(o))\n"
        + LISTED,
    ),
    "hooks all layers": (
        "pass",
        "KEPT = []\nblock = Block()\nfor one in block.modules():\n    if isinstance(one, nn.Sigmoid):\n"
        f"        one.register_forward_hook(lambda m, i, o: KEPT.append(o))\n{LISTED}",
    ),
    "sets an option": (
        "self.kept = h if config.KEEP else None",
        f"config.KEEP = True\nblock = Block()\n{KEPT}",
    ),
    "adds a callback": (
        "[call(h) for call in self.calls]",
        f"KEPT = []\nblock = Block()\nblock.calls.append(KEPT.append)\n{LISTED}",
    ),
    "reads an attribute": ("self.kept = h", f"block = Block()\n{KEPT}"),
    "reads a list": ("LAST.append(h)", "block = Block()\nout = block(x)\nout = out + blocks.LAST[0]"),
}
#: ... and what leaves the fix safe.
HARMLESS = {
    "only calls it": ("pass", "block = Block()\nout = block(x)"),
    "hooks layers of another kind": (
        "pass",
        "block = Block()\nfor one in block.modules():\n    if isinstance(one, nn.Conv2d):\n"
        "        one.register_forward_hook(print)\nout = block(x)",
    ),
    "sets the attribute of a class of its own": (
        "pass",
        "class Own:\n    act = None\n\n    def reset(self):\n        self.act = 1\n\n\n"
        "block = Block()\nout = block(x)",
    ),
}


def computed(folder: Path) -> float:
    sys.path.insert(0, str(folder))
    try:
        return float(runpy.run_path(str(folder / "main.py"))["out"].detach().sum())
    finally:
        sys.path.remove(str(folder))
        for name in [one for one in sys.modules if one.partition(".")[0] == "net"]:
            del sys.modules[name]


def fixed(folder: Path, line: str, lines: str, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float, bool]:
    """What the project computes before and after its safe fixes, and whether one was applied."""
    (folder / "net").mkdir()
    for name, text in (
        ("pyproject.toml", ""),
        ("net/__init__.py", "from .blocks import Block\n"),
        ("net/config.py", "KEEP = False\n"),
        ("net/blocks.py", BLOCKS.format(line=line)),
        ("main.py", MAIN.format(lines=lines)),
    ):
        (folder / name).write_text(text)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(folder)
    before = computed(folder)
    main(["check", "--fix", "--no-cache", "--quiet", "."])
    after = computed(folder)
    return before, after, "h = h + 1" in (folder / "net" / "blocks.py").read_text()


@pytest.mark.parametrize("does", PROJECTS)
def test_no_safe_fix_where_another_file_relies_on_the_write(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after, _ = fixed(tmp_path, *PROJECTS[does], monkeypatch)
    assert before == after


@pytest.mark.parametrize("does", HARMLESS)
def test_what_another_file_does_besides_leaves_the_fix_safe(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after, changed = fixed(tmp_path, *HARMLESS[does], monkeypatch)
    assert changed
    assert before == after
