"""Hazards in a library whose parts stand in several files, none of which trains anything: told as torch has it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

import inplace_lint

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

#: By what stands in another file: the files of the library, and the end of a program that drives it.
LIBRARIES = {
    "the forward, inherited, and the function that writes": (
        {
            "net.py": """
                from base import Base
                from helpers import half

                class Net(Base):
                    def weights(self, s):
                        w = s.softmax(-1)
                        half(w)
                        return w
            """,
            "base.py": """
                from torch import nn

                class Base(nn.Module):
                    def __init__(self, d):
                        super().__init__()
                        self.q = nn.Linear(d, d)

                    def forward(self, x):
                        return self.weights(self.q(x))
            """,
            "helpers.py": """
                def half(w):
                    w.mul_(0.5)
            """,
        },
        "Net(3)(torch.randn(2, 3)).sum().backward()",
    ),
    "the forward, which saves what a method of the class writes": (
        {
            "net.py": """
                from base import Base

                class Net(Base):
                    def post(self, w):
                        w.mul_(0.5)
            """,
            "base.py": """
                from torch import nn

                class Base(nn.Module):
                    def __init__(self, d):
                        super().__init__()
                        self.q = nn.Linear(d, d)

                    def forward(self, x):
                        w = self.q(x).softmax(-1)
                        self.post(w)
                        return w

                    def post(self, w):
                        pass
            """,
        },
        "Net(3)(torch.randn(2, 3)).sum().backward()",
    ),
    "a chain of functions that saves": (
        {
            "net.py": """
                from helpers import bump, root
                from torch import nn

                class Net(nn.Module):
                    def __init__(self, d):
                        super().__init__()
                        self.proj = nn.Linear(d, d)

                    def forward(self, x):
                        d = root(self.proj(x))
                        bump(d)
                        return d
            """,
            "helpers.py": """
                def square(a):
                    return a.neg().neg().neg().neg().neg().neg()

                def root(a):
                    return square(a).sqrt()

                def bump(d):
                    d.add_(1)
            """,
        },
        "Net(3)(torch.randn(2, 3)).sum().backward()",
    ),
    "the class of an object that a method gets": (
        {
            "net.py": """
                import torch
                from torch import nn
                from cache import Cache

                class Net(nn.Module):
                    def __init__(self, d):
                        super().__init__()
                        self.q = nn.Linear(d, d)

                    def attend(self, x, cache):
                        k = cache.append(x)
                        return self.q(x) @ k.t()

                    def forward(self, x):
                        cache = Cache(torch.zeros(4, 3))
                        a = self.attend(x, cache)
                        return a + self.attend(x, cache)
            """,
            "cache.py": """
                class Cache:
                    def __init__(self, k):
                        self.k = k

                    def append(self, k):
                        self.k.add_(k)
                        return self.k
            """,
        },
        "Net(3)(torch.randn(4, 3)).sum().backward()",
    ),
    "a dataclass, of which a copy is written": (
        {
            "net.py": """
                from dataclasses import replace
                from torch import nn
                from graph import Graph

                class Layer(nn.Module):
                    def forward(self, g):
                        g.x.add_(1)
                        return g

                class Net(nn.Module):
                    def __init__(self, d):
                        super().__init__()
                        self.lift, self.layer = nn.Linear(d, d), Layer()

                    def forward(self, g):
                        x = self.lift(g.x)
                        r = x.norm(dim=-1)
                        g = self.layer(replace(g, x=x))
                        return g.h + r
            """,
            "graph.py": """
                from dataclasses import dataclass
                import torch

                @dataclass
                class Graph:
                    h: torch.Tensor
                    x: torch.Tensor
            """,
        },
        "from graph import Graph\nNet(3)(Graph(torch.randn(2), torch.randn(2, 3))).sum().backward()",
    ),
    "a function that a compiled one stands in for": (
        {
            "net.py": """
                try:
                    from ops._compiled import half
                except ImportError:
                    from ops.plain import half

                def Net(x):
                    y = x.exp()
                    half(y)
                    return y
            """,
            "ops/__init__.py": "",
            "ops/plain.py": """
                def half(w):
                    w.mul_(0.5)
            """,
        },
        "Net(torch.randn(2, 3, requires_grad=True)).sum().backward()",
    ),
}


@pytest.mark.parametrize("elsewhere", LIBRARIES)
def test_a_hazard_is_told_in_the_library_itself(
    elsewhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, end = LIBRARIES[elsewhere]
    library = tmp_path / "library"
    for name, text in files.items():
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text(textwrap.dedent(text))
    driver = tmp_path / "driver.py"
    driver.write_text(f"import torch\nfrom net import Net\n\n{end}\n")
    assert refuses(driver, library)
    monkeypatch.chdir(library)
    assert {one.code for one in inplace_lint.check_paths(["."]).diagnostics} & {"IPL101", "IPL102"}
