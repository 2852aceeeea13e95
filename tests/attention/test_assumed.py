"""What a fix assumes of masks, factors, dropout and dtypes holds for each object that the file makes.

Each program is run in torch before and after its fix. A fix that is not offered changes nothing; where nothing stands
against it, it has to be offered.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

from .compare import applied
from .written import difference

PROGRAM = """\
import math

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, size=8, heads=2, length=12, p=0.0):
        super().__init__()
        self.heads, self.size = heads, size
        self.proj = nn.Linear(size, 3 * size)
        self.drop = nn.Dropout(p)
        self.softmax = nn.Softmax(dim=-1)
        self.scale = (size // heads) ** -0.5
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        b, n, c = x.size()
        q, k, v = self.proj(x).split(self.size, dim=2)
        q = q.view(b, n, self.heads, c // self.heads).transpose(1, 2)
        k = k.view(b, n, self.heads, c // self.heads).transpose(1, 2)
        v = v.view(b, n, self.heads, c // self.heads).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) * self.scale
        scores = scores.masked_fill(self.mask[:, :, :n, :n] == 0, float("-inf"))
        weights = self.drop(self.softmax(scores))
        return (weights @ v).transpose(1, 2).contiguous().view(b, n, c)


class Other(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.mask = nn.Parameter(torch.zeros(size))
        self.scale = size


def fresh_start(module):
    if isinstance(module, nn.Linear):
        module.mask = None
        module.weight.data.normal_()


torch.manual_seed(0)
x = torch.randn(2, 5, 8)
"""

#: What else the file has, which ends with the object that is called; and whether a fix may be offered.
OBJECTS = {
    "the class alone": ("layer = Attention()\n", True),
    "a subclass writes the mask": (
        "class Prefix(Attention):\n    def __init__(self):\n        super().__init__()\n"
        "        self.mask[:, :, :, :3] = 1\n\n\nlayer = Prefix()\n",
        False,
    ),
    "a subclass writes the mask by a method": (
        "class Whole(Attention):\n    def open(self):\n        self.mask.fill_(1)\n        return self\n\n\n"
        "layer = Whole().open()\n",
        False,
    ),
    "a subclass registers another mask": (
        "class Local(Attention):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('mask', torch.eye(12)[None, None])\n\n\nlayer = Local()\n",
        False,
    ),
    "a holder writes the mask": (
        "class Encoder(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.attn = Attention()\n        self.attn.mask.fill_(1)\n\n"
        "    def forward(self, x):\n        return self.attn(x)\n\n\nlayer = Encoder()\n",
        False,
    ),
    "a function sets another mask": (
        "def opened(layer):\n    layer.mask = torch.ones(1, 1, 12, 12)\n    return layer\n\n\n"
        "layer = opened(Attention())\n",
        False,
    ),
    "the file sets another mask": ("layer = Attention()\nlayer.mask += 1\n", False),
    "a subclass has another softmax": (
        "class Gated(Attention):\n    def __init__(self):\n        super().__init__()\n"
        "        self.softmax = nn.Sigmoid()\n\n\nlayer = Gated()\n",
        False,
    ),
    "a function exchanges the softmax": (
        "def exchanged(layer):\n    layer.softmax = nn.Sigmoid()\n    return layer\n\n\n"
        "layer = exchanged(Attention())\n",
        False,
    ),
    "a function exchanges the dropout": (
        "def stripped(layer):\n    for name, part in list(layer.named_children()):\n"
        "        if isinstance(part, nn.Dropout):\n            setattr(layer, name, nn.Identity())\n"
        "    return layer\n\n\nlayer = stripped(Attention())\n",
        False,
    ),
    "a function makes the scale a tensor": (
        "def learned(layer):\n    setattr(layer, 'scale', nn.Parameter(torch.tensor(0.1)))\n    return layer\n\n\n"
        "layer = learned(Attention())\n",
        False,
    ),
    "another class has attributes of these names": ("other = Other(3)\nlayer = Attention()\n", True),
    "an attribute whose name begins otherwise": (
        "class Tower(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        for i in range(2):\n            setattr(self, f'layer{i}', Attention())\n\n"
        "    def forward(self, x):\n        return self.layer1(self.layer0(x))\n\n\nlayer = Tower()\n",
        True,
    ),
}


@pytest.mark.parametrize("what", OBJECTS)
def test_an_attribute_is_what_init_says_for_each_object_of_the_file(what: str) -> None:
    rest, offered = OBJECTS[what]
    _check(f"{PROGRAM}\n\n{rest}", offered, "layer(x).detach()")


#: The body of `forward`, from x, and whether a fix may be offered. `self.bias` is a buffer.
BODIES = {
    "nothing between": (
        "s = torch.bmm(q, k.transpose(1, 2)) * 0.3 + self.bias\nreturn torch.bmm(s.softmax(-1), v)",
        True,
    ),
    "a method writes the bias between": (
        "s = torch.bmm(q, k.transpose(1, 2)) * 0.3 + self.bias.clone()\nv = v + self.update()\n"
        "return torch.bmm(s.softmax(-1), v)",
        False,
    ),
    "a method writes the mask between": (
        "s = torch.bmm(q, k.transpose(1, 2)) * 0.3\ns = s.masked_fill(self.bias > 0.5, float('-inf'))\n"
        "w = s.softmax(-1)\nself.update()\nreturn torch.bmm(w, v)",
        False,
    ),
    "weights and values in double": (
        "w = F.softmax(q @ k.transpose(1, 2), dim=-1, dtype=torch.double)\nreturn (w @ v.double()).float()",
        False,
    ),
    "queries and keys in half": (
        "s = torch.matmul(q.bfloat16(), k.bfloat16().transpose(1, 2)).float()\nreturn s.softmax(-1) @ v",
        False,
    ),
    "queries and keys in half, by name": (
        "q, k = q.to(torch.bfloat16), k.to(torch.bfloat16)\n"
        "w = torch.softmax(q @ k.transpose(1, 2), dim=-1, dtype=torch.float32)\nreturn w @ v",
        False,
    ),
    "all of them in float": (
        "w = torch.softmax(q.float() @ k.float().transpose(1, 2), dim=-1, dtype=torch.float32)\nreturn w @ v.float()",
        True,
    ),
    "all cast up and back": (
        "s = torch.matmul(q.double(), k.double().transpose(-2, -1)) * 0.3\n"
        "return s.softmax(-1).type_as(v) @ v",
        True,
    ),
    "cast down and back": (
        "s = torch.matmul(q.bfloat16(), k.bfloat16().transpose(-2, -1)) * 0.3\n"
        "return s.softmax(-1).type_as(v) @ v",
        False,
    ),
    "a mask that is multiplied and added": (
        "keep = x[..., 0].unsqueeze(1) > 0\nkeep = keep.float()\n"
        "s = (q @ k.transpose(1, 2)) * keep - 1e10 * (1 - keep)\nreturn s.softmax(-1) @ v",
        False,
    ),
    "a number on one path": (
        "bias = 0.0 if self.training else self.bias\ns = q @ k.transpose(1, 2) * 0.5 + bias\nreturn s.softmax(-1) @ v",
        False,
    ),
    "several maps for one input": (
        "s = q @ k.transpose(1, 2) * 0.5 + self.maps\nreturn (s.softmax(-1) @ v).sum(0)",
        False,
    ),
    "a fill that is scaled to nothing": (
        "s = (q @ k.transpose(1, 2)).masked_fill(self.far, -1e9) * 1e-9\nreturn s.softmax(-1) @ v",
        False,
    ),
    "a fill that is divided": (
        "s = (q @ k.transpose(1, 2)).masked_fill(self.far, -1e4) / 1024\nreturn s.softmax(-1) @ v",
        False,
    ),
    "a fill that stays low": (
        "s = (q @ k.transpose(1, 2)).masked_fill(self.far, -1e9) / 8\nreturn s.softmax(-1) @ v",
        True,
    ),
}
MODULE = """\
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, size=8, n=5):
        super().__init__()
        self.proj = nn.Linear(size, 3 * size)
        self.register_buffer("bias", torch.zeros(n, n))
        self.register_buffer("far", torch.ones(n, n).triu(2).bool())
        self.maps = nn.Parameter(torch.randn(3, 1, n, n))

    def update(self):
        self.bias[:, 0] += 1.0
        return self.bias.mean()

    def forward(self, x):
        q, k, v = self.proj(x).chunk(3, -1)
        {body}


torch.manual_seed(0)
layer = Attention()
x = torch.randn(2, 5, 8)
"""


@pytest.mark.parametrize("what", BODIES)
def test_masks_factors_and_dtypes_are_what_the_kernel_gets(what: str) -> None:
    body, offered = BODIES[what]
    text = MODULE.replace("{body}", body.replace("\n", "\n        "))
    _check(text, offered, "layer(x).detach(), layer(x).detach()")


def _check(source: str, offered: bool, results: str) -> None:
    found = check_source("attention.py", source.encode(), Settings(), Project())
    (finding,) = [one for one in found if one.code == "IPL401"]
    fixed = source if finding.plan is None else applied(source, finding.plan.edits(source))
    driver = f"\nRESULTS = [{results}]\n"
    assert difference(source + driver, fixed + driver) < 1e-5
    assert (fixed != source) is offered
