"""A small project whose files change at random: each file has several forms, one of them that it does not exist."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from inplace_lint.engine import store

#: What gives the exit code and all output of `inplace-lint check` with these arguments.
Lint = Callable[..., str]

HELPERS = {
    "writes": "def halve(x):\n    x.mul_(0.5)\n    return x\n",
    "returns": "def halve(x):\n    return x.mul(0.5)\n",
    "hands on": "from .deeper import halve\n",
    "hands all on": "from .deeper import *\n",
    "lacks it": "def double(x):\n    return x * 2\n",
    "unreadable": "def halve(x:\n",
    "absent": None,
}
DEEPER = {
    "writes": "from .gate import gate\n\n\ndef halve(x):\n    x.div_(2)\n    return x\n",
    "returns": "def halve(x):\n    return x / 2\n",
    "late": "def halve(x):\n    from .helpers import double\n    return double(x).mul_(1)\n",
    "absent": None,
}
GATE = """\
import torch
from torch import nn

from {where} import halve


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        halve(y)
        return y


def gate(x):
    y = torch.exp(x)
    y += 1{comment}
    return y
"""
BASE = {
    "plain": "from torch import nn\n\n\nclass Block(nn.Module):\n    def act(self, x):\n        return x.relu()\n",
    "in place": "from torch import nn\n\n\nclass Block(nn.Module):\n    def act(self, x):\n        return x.relu_()\n",
    "elsewhere": "from .gate import Gate as Block\n",
    "absent": None,
}
BLOCK = """\
import torch

from .base import Block


class Deep(Block):
    def forward(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
        out = torch.tanh(weights @ v)
        self.act(out)
        return out
"""
ATTENTION = """\
import torch


def attend(q, k, v, scale: float):
    weights = torch.softmax(q @ k.transpose(-2, -1) * scale, dim=-1)
    return weights @ v
"""
#: Callers of `gate`: how they call it decides whether gradients are recorded in it.
STEP: dict[str, str | None] = {
    "quiet": "import torch\n\nfrom .gate import gate\n\n\n@torch.no_grad()\ndef step(p):\n    return gate(p)\n",
    "recorded": "from .gate import gate\n\n\ndef step(p):\n    return gate(p)\n",
    "of another": "import torch\n\nfrom .deeper import gate\n\n\n@torch.no_grad()\ndef step(p):\n    return gate(p)\n",
}
FORMS: dict[str, dict[str, str | None]] = {
    "pkg/__init__.py": {"empty": "", "absent": None, "names": "from .gate import Gate\n"},
    "pkg/helpers.py": HELPERS,
    "pkg/helpers/__init__.py": {"absent": None, "writes": HELPERS["writes"]},
    "pkg/deeper.py": DEEPER,
    "pkg/gate.py": {
        "helpers": GATE.format(where=".helpers", comment=""),
        "full": GATE.format(where="pkg.helpers", comment="  # inplace-lint: ignore[IPL101]"),
        "top": GATE.format(where="helpers", comment="  # noqa: IPL102"),
        "needless": GATE.format(where=".helpers", comment="").replace(
            "y += 1", "y = y + 1  # inplace-lint: ignore"
        ),
    },
    "pkg/base.py": BASE,
    "pkg/block.py": {"deep": BLOCK, "absent": None},
    "pkg/attention.py": {"naive": ATTENTION, "absent": None},
    "pkg/train.py": {
        "once": "def train(loss):\n    loss.backward()\n",
        "twice": "def train(loss):\n    loss.backward(create_graph=True)\n",
        "hooks": "def watch(m, f):\n    m.register_forward_hook(f)\n",
        "absent": None,
    },
    "pkg/step.py": {"absent": None} | STEP,
    "helpers.py": {"absent": None, "writes": HELPERS["writes"], "returns": HELPERS["returns"]},
    "pyproject.toml": {
        "new": '[project]\nname = "p"\ndependencies = ["torch>=2.5"]\n',
        "old": '[project]\nname = "p"\ndependencies = ["torch>=1.13"]\n',
        "notes": '[project]\nname = "p"\n[tool.inplace-lint]\nnotes = true\n',
        "source": '[tool.inplace-lint]\nsrc = ["pkg"]\n',
        "narrow": '[tool.inplace-lint]\nselect = ["IPL1"]\nmin-confidence = "certain"\n',
        "absent": None,
    },
}


def begin(root: Path) -> None:
    """Each file in its first form that exists."""
    for name, forms in FORMS.items():
        put(root, name, next(iter(forms.values())))


def put(root: Path, name: str, text: str | None) -> None:
    file = root / name
    if text is None:
        file.unlink(missing_ok=True)
        if file.parent.name == "helpers" and file.parent.is_dir():
            file.parent.rmdir()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def change(root: Path, chance: random.Random) -> str:
    """Gives one file another form, and says which."""
    name = chance.choice(list(FORMS))
    form = chance.choice(list(FORMS[name]))
    put(root, name, FORMS[name][form])
    return f"{name}: {form}"


def stored(folder: Path = Path(store.NAME)) -> list[Path]:
    """What is kept there for later runs."""
    return sorted(folder.glob(f"*{store.ENDING}"))
