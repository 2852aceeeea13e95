"""What a file writes by a decorator or a table of another file is found, though its own text says nothing of it.

Torch says which programs raise.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

pytest.importorskip("torch")

DECORATORS = """import functools


def scaled(factor):
    def decorate(function):
        @functools.wraps(function)
        def inner(self, *args):
            out = function(self, *args)
            {write}
            return out

        return inner

    return decorate


def plainly(function):
    @functools.wraps(function)
    def inner(*args):
        out = function(*args)
        {write}
        return out

    return inner
"""
ACTOR = """import torch
from torch import nn

import wrappers
from wrappers import plainly, scaled


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    @{decorator}
    def {method}(self, x):
        return torch.tanh(self.layer(x))


if __name__ == "__main__":
    Actor().{method}(torch.randn(2, 3)).sum().backward()
"""
TABLES = {
    "a literal": 'ACTS = {"relu": partial(nn.ReLU, inplace=%s), "silu": nn.SiLU}\n',
    "stores": 'ACTS = {}\nACTS["relu"] = partial(nn.ReLU, inplace=%s)\nACTS["silu"] = nn.SiLU\n',
    "a function that stores": """ACTS = {}


def register(table, name):
    def wrap(obj):
        table[name] = obj
        return obj

    return wrap


register(ACTS, "relu")(partial(nn.ReLU, inplace=%s))
register(ACTS, "silu")(nn.SiLU)
""",
    "a decorator": """ACTS = {}


def register(table, name):
    def wrap(obj):
        table[name] = obj
        return obj

    return wrap


@register(ACTS, "relu")
def relu():
    return nn.ReLU(inplace=%s)
""",
}
GATED = """import torch
from torch import nn

from tables import ACTS


class Gated(nn.Module):
    def __init__(self, act="relu"):
        super().__init__()
        self.gate = nn.Linear(3, 3)
        self.act = ACTS[act]()

    def forward(self, h):
        g = torch.sigmoid(self.gate(h))
        return self.act(h) * g


if __name__ == "__main__":
    Gated()(torch.randn(2, 3, requires_grad=True) * 2).sum().backward()
"""


def judged(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, bool]:
    """Whether the tool reports an error in a file, and whether torch refuses to run it."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    path = folder / name
    found = check_source(str(path), path.read_bytes(), Settings(), Project(root=str(folder)))
    try:
        runpy.run_path(name, run_name="__main__")
        raises = False
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        raises = True
    finally:
        for module in ("wrappers", "tables"):
            sys.modules.pop(module, None)
    return any(one.code < "IPL2" for one in found), raises


@pytest.mark.parametrize("write", ["out *= 2", "out = out * 2"])
@pytest.mark.parametrize("decorator", ["scaled(2)", "plainly", "wrappers.plainly"])
@pytest.mark.parametrize("method", ["forward", "act"])
def test_a_wrapper_of_another_file_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, decorator: str, write: str
) -> None:
    (tmp_path / "wrappers.py").write_text(DECORATORS.format(write=write))
    (tmp_path / "actor.py").write_text(ACTOR.format(decorator=decorator, method=method))
    bad = write == "out *= 2"
    assert judged(tmp_path, "actor.py", monkeypatch) == (bad, bad)


@pytest.mark.parametrize("bad", [True, False])
@pytest.mark.parametrize("way", TABLES)
def test_layers_of_a_table_of_another_file_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, bad: bool
) -> None:
    (tmp_path / "tables.py").write_text(
        f"from functools import partial\nfrom torch import nn\n{TABLES[way] % bad}"
    )
    (tmp_path / "gated.py").write_text(GATED)
    assert judged(tmp_path, "gated.py", monkeypatch) == (bad, bad)
