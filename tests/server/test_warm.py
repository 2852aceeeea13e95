"""A process that has answered before answers as one that has not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inplace_lint.engine import cache, plain
from inplace_lint.interp.program import forget
from inplace_lint.project import contents
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


def sessions(folder: Path, kept: bool) -> list[list[object]]:
    """The same where files are saved now and then; if `kept`, with a cache, idle times, and sessions that end."""
    rng, other = random.Random(5), random.Random(6)
    names = [str(folder / f"{name}.py") for name in ("helper", "third", "user", "other")]
    analysis, opened, answers = Analysis(), dict[str, bytes](), []
    for number in range(200):
        at = rng.randrange(4)
        text = rng.choice((HELPERS, THIRDS, USERS, USERS)[at])
        saved, closed = rng.random() < 0.6, rng.random() < 0.3
        if text is not None:
            opened[names[at]] = text.encode() + b"# %d\n" % number * rng.randrange(2)
        if saved:
            Path(names[at]).unlink(missing_ok=True)
            if text is not None:
                Path(names[at]).write_bytes(opened[names[at]])
        if text is None or closed:
            opened.pop(names[at], None)
        if kept and other.random() < 0.2:
            analysis = Analysis()
            forget(everything=True)
        analysis.tell({name: opened.get(name) for name in names})
        for name in names[2:]:
            if name in opened:
                if not kept:
                    forget(everything=True)
                answers.append(found(analysis, name))
        if kept and other.random() < 0.7:
            analysis.rest()
    return answers


def test_what_is_kept_between_sessions_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "project" / "pkg"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    without = sessions(package, kept=False)
    for file in package.glob("*[!_].py"):
        file.unlink()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    monkeypatch.setattr(contents, "TICK", -(10**18))
    recalled = []
    read = plain.read

    def reading(text: str, root: str):  # type: ignore[no-untyped-def]
        recalled.append(text)
        return read(text, root)

    monkeypatch.setattr(plain, "read", reading)
    assert sessions(package, kept=True) == without
    assert len(recalled) > 20
    assert any(without)
