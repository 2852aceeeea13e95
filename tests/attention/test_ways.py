"""The ways in which Python leads from a product to the values: each is followed, and what looks alike is not."""

from __future__ import annotations

import os

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

from . import compare

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"


def severities(text: str, filename: str = "form.py", root: str = "") -> list[str]:
    found = check_source(filename, text.encode(), Settings(), Project(root) if root else Project())
    return [one.severity for one in found if one.code == "IPL401"]


WAYS = {
    "classmethod": """
class Ops:
    @classmethod
    def weights(cls, q, k):
        return (q @ k.mT).softmax(-1)


def attend(q, k, v):
    return Ops.weights(q, k) @ v
""",
    "keywords": """
def weights(q, k, scale=1.0, **rest):
    return (q @ k.mT * scale).softmax(-1)


def attend(q, k, v, **rest):
    return weights(q, k, **rest) @ v
""",
    "positions": """
def weights(q, *rest):
    return (q @ rest[0].mT).softmax(-1)


def attend(q, k, v):
    return weights(q, k) @ v
""",
    "star": """
from torch.nn.functional import *


def attend(q, k, v):
    return softmax(q @ k.mT, -1) @ v
""",
    "loop": """
def attend(q, k, v, biases):
    s = q @ k.mT
    for one in biases:
        s = s + one
    return s.softmax(-1) @ v
""",
    "written": """
def attend(q, k, v):
    s = q @ k.mT
    s[..., 0] = 0.0
    return s.softmax(-1) @ v
""",
    "equation": """
def attend(q, k, v, shared: bool):
    kv = "b j d" if shared else "b h j d"
    w = torch.einsum(f"b h i d, {kv} -> b h i j", q, k).softmax(-1)
    return torch.einsum(f"b h i j, {kv} -> b h i d", w, v)
""",
    "log-softmax": "def attend(q, k, v):\n    return F.log_softmax(q @ k.mT, -1).exp() @ v\n",
    "logsumexp": "def attend(q, k, v):\n    s = q @ k.mT\n    return (s - s.logsumexp(-1, keepdim=True)).exp() @ v\n",
    "module-of-its-own": "def attend(q, k, v, change):\n    return change(q @ k.mT).softmax(-1) @ v\n",
    "memory-handed-on": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = self.v = None

    def keep(self, k, v):
        self.k, self.v = k, v

    def forward(self, q):
        return (q @ self.k.mT).softmax(-1) @ self.v
""",
}

ALIKE = {
    "memory-of-a-fixed-size": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.randn(6, 3))

    def write(self, slot, key):
        self.keys[slot] = key

    def forward(self, q):
        return (q @ self.keys.T).softmax(-1) @ self.keys
""",
    "layer-over-the-keys": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(9, 5)
        self.values = nn.Linear(5, 5)

    def forward(self, q, k):
        return self.head(q @ k.mT).softmax(-1) @ self.values(k)
""",
    "clusters": """
def pool(x, adjacency, layer):
    s = (adjacency @ layer(x)).softmax(-1)
    return s.transpose(1, 2) @ x
""",
    "learned-queries-of-fixed-heads": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(3, 2, 8))

    def forward(self, x):
        w = torch.einsum("nd,shd->shn", x, self.queries).softmax(-1)
        return torch.einsum("shn,nd->shd", w, x)
""",
    "dictionary": """
def choose(q, k, v, logits):
    made = {"scores": q @ k.mT, "logits": logits}
    return made["logits"].softmax(-1) @ v
""",
}


@pytest.mark.parametrize("name", WAYS)
def test_way_is_followed(name: str) -> None:
    assert severities(HEAD + WAYS[name]) == ["warning"]


@pytest.mark.parametrize("name", ALIKE)
def test_what_looks_alike_is_passed_over(name: str) -> None:
    assert severities(HEAD + ALIKE[name]) == []


def test_star_import_of_the_project_is_followed(tmp_path: os.PathLike[str]) -> None:
    with open(os.path.join(tmp_path, "common.py"), "w") as file:
        file.write("def weights(q, k):\n    return (q @ k.mT).softmax(-1)\n")
    text = "from common import *\n\n\ndef attend(q, k, v):\n    w = weights(q, k)\n    return w @ v\n"
    (one,) = compare_plans(text, os.path.join(tmp_path, "use.py"), str(tmp_path))
    assert one == "attend"


def test_softmax_is_followed_through_a_package_that_exports_it_again(tmp_path: os.PathLike[str]) -> None:
    os.mkdir(os.path.join(tmp_path, "layers"))
    with open(os.path.join(tmp_path, "layers", "__init__.py"), "w") as file:
        file.write("from .common import weights as scores\n")
    with open(os.path.join(tmp_path, "layers", "common.py"), "w") as file:
        file.write("def weights(q, k):\n    return (q @ k.mT).softmax(-1)\n")
    text = "from layers import scores as of\n\n\ndef attend(q, k, v):\n    w = of(q, k)\n    return w @ v\n"
    assert compare_plans(text, os.path.join(tmp_path, "use.py"), str(tmp_path)) == ["attend"]


def compare_plans(text: str, filename: str, root: str) -> list[str]:
    """The functions in which an attention is found, wherever its softmax stands."""
    from inplace_lint.attention.find import find
    from inplace_lint.interp.program import Program
    from inplace_lint.syntax.module import Module

    program = Program(Project(root))
    module = Module(filename, text.encode())
    program.files.add(module)
    return [seen.graph.root.name for seen in find(program, module) for _ in seen.plans]


def test_queries_of_several_heads_on_one_key_are_the_axis_that_grows() -> None:
    text = HEAD + (
        "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.q, self.k = nn.Linear(24, 24), nn.Linear(24, 8)\n\n"
        "    def forward(self, x):\n        b, n, c = x.shape\n"
        "        q, k = self.q(x).view(b, n, 3, 8), self.k(x)\n"
        "        w = torch.einsum('bnhd,bmd->bnhm', q, k).softmax(-1)\n"
        "        return torch.einsum('bnhm,bmd->bnhd', w, k)\n"
    )
    (plan,) = compare.plans(text)
    assert plan.refused is None
    fixed = compare.rewritten(text, plan)
    assert (
        "q.transpose(1, 2)" in fixed
        and ".unsqueeze(1).expand(-1, q.transpose(1, 2).size(1), -1, -1)" in fixed
    )
