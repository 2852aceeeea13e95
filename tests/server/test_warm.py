"""A process that has answered before answers as one that has not."""

from __future__ import annotations

import random
from pathlib import Path

from inplace_lint.analysis.program import forget
from inplace_lint.server.analysis import Analysis

HELPERS = [
    "def change(x):\n    return x + 1\n",
    "def change(x):\n    x.add_(1)\n    return x\n",
    "import torch\n\n\ndef change(x):\n    return torch.relu(x)\n",
    "change = lambda x: x\n",
    "change = (\n",
    "from .third import change\n",
    None,
]
THIRDS = ["def change(x):\n    x.mul_(2)\n    return x\n", "class change:\n    pass\n", "", None]
USERS = [
    "import torch\nfrom .helper import change\nimport torch.nn as nn\n\n\nclass M(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(3, 3)\n\n"
    "    def forward(self, x):\n        y = torch.sigmoid(self.l(x))\n        z = change(y)\n        return y * z\n",
    "import torch\nfrom pkg import helper\n\na = torch.ones(3, requires_grad=True)\nb = torch.exp(a)\n"
    "c = helper.change(b)\nb.sum().backward()\n",
    "import torch\nfrom .helper import *\n\na = torch.ones(3, requires_grad=True)\nb = torch.tanh(a)\n"
    "change(b)\nc = b * 2\nc += 1\nb.sum().backward()\n",
]


def found(analysis: Analysis, filename: str) -> list[object]:
    return [
        (one.code, one.location.key(), one.message, [label.location.key() for label in one.labels])
        for one in analysis.check(filename).findings
    ]


def play(folder: Path, fresh: bool) -> list[list[object]]:
    """What is found in two files after each of many changes of these, and of others that they import."""
    rng = random.Random(3)
    names = [str(folder / f"{name}.py") for name in ("helper", "third", "user", "other")]
    analysis, opened, answers = Analysis(), set[str](), []
    for number in range(200):
        at = rng.randrange(4)
        text = rng.choice((HELPERS, THIRDS, USERS, USERS)[at])
        comment = f"# {number}\n" * rng.randrange(2)
        analysis.tell({names[at]: None if text is None else (text + comment).encode()})
        opened.discard(names[at]) if text is None else opened.add(names[at])
        for name in names[2:]:
            if name in opened:
                if fresh:
                    forget(everything=True)
                answers.append(found(analysis, name))
    return answers


def test_what_was_read_before_changes_no_answer(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").touch()
    forget(everything=True)
    warm = play(tmp_path / "pkg", fresh=False)
    assert sum(map(bool, warm)) > 20, "there must be something to find"
    assert warm == play(tmp_path / "pkg", fresh=True)
