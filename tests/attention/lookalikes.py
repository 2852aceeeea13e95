"""Programs with products and softmaxes that are not attention over positions: nothing may be said of them."""

from __future__ import annotations

HEAD = """\
import math

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(24, 24), nn.Linear(24, 24), nn.Linear(24, 24)
        self.qkv = nn.Linear(24, 72)
        self.conv = nn.Conv2d(24, 72, 1)
        self.gate = nn.Linear(24, 5)
        self.experts = nn.Parameter(torch.randn(5, 24))
        self.keys = nn.Parameter(torch.randn(7, 24))
        self.values = nn.Parameter(torch.randn(7, 24))
        self.query = nn.Parameter(torch.randn(1, 1, 24))
        self.graph = nn.Parameter(torch.randn(6, 6))
        self.temperature = nn.Parameter(torch.ones(3, 1, 1))

    def heads(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, 3, c // 3).transpose(1, 2)

    def forward(self, x, y, mask=None):
"""

SPLIT = "b, n, c = x.shape\nq, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))"

#: name -> statements that leave `out`
BODIES = {
    "starred": (
        "def chosen(a, b, c=None):\n    return a @ b.transpose(-1, -2) if c is None else c\n"
        "pairs = torch.cat((self.k(x), self.v(x)), -1).split(24, -1)\n"
        "out = chosen(*(self.q(x), *pairs)).softmax(dim=-1) @ self.v.weight"
    ),
    "classifier": "out = self.gate(x).softmax(dim=-1)",
    "contrastive": "a, z = x.mean(1), y.mean(1)\nout = (a @ z.t() / 0.07).softmax(dim=-1)",
    "gate": "w = torch.softmax(self.gate(x), dim=-1)\nout = w[..., :1] * x + w[..., 1:2] * x.flip(-1)",
    "mixture": "w = F.softmax(self.gate(x), dim=-1)\nout = w @ self.experts",
    "codebook": "w = (x @ self.keys.t()).softmax(dim=-1)\nout = w @ self.keys",
    "memory": "w = torch.softmax(x @ self.keys.transpose(0, 1) / 5, dim=-1)\nout = torch.matmul(w, self.values)",
    "prototypes": "w = torch.einsum('bnd,kd->bnk', x, self.keys).softmax(-1)\n"
    "out = torch.einsum('bnk,kd->bnd', w, self.values)",
    "cross-covariance": (
        "b, n, c = x.shape\n"
        "q, k, v = self.qkv(x).reshape(b, n, 3, 3, c // 3).permute(2, 0, 3, 4, 1).unbind(0)\n"
        "w = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1) * self.temperature).softmax(dim=-1)\n"
        "out = (w @ v).permute(0, 3, 1, 2).reshape(b, n, c)"
    ),
    "channels-transposed": (
        f"{SPLIT}\nw = (q.transpose(-2, -1) @ k / n ** 0.5).softmax(dim=-1)\n"
        "out = (w @ v.transpose(-2, -1)).transpose(-2, -1).transpose(1, 2).reshape(b, n, c)"
    ),
    "channels-einsum": (
        f"{SPLIT}\nw = torch.einsum('bhnc,bhnd->bhcd', q, k).softmax(dim=-1)\n"
        "out = torch.einsum('bhcd,bhnd->bhnc', w, v).transpose(1, 2).reshape(b, n, c)"
    ),
    "channels-of-an-image": (
        "image = x.transpose(1, 2).reshape(2, 24, 2, 3)\nb, c, h, width = image.shape\n"
        "q, k, v = self.conv(image).reshape(b, 3, 3, c // 3, h * width).unbind(1)\n"
        "w = (q @ k.transpose(-2, -1)).softmax(dim=-1)\nout = (w @ v).reshape(b, c, h, width)"
    ),
    "image-gram": (
        "image = self.conv(x.transpose(1, 2).unflatten(2, (2, 3)))\nb, c, h, width = image.size()\n"
        "q = image.view(b, c, -1)\nk = image.view(b, c, -1).permute(0, 2, 1)\n"
        "w = torch.softmax(torch.bmm(q, k), dim=-1)\nout = torch.bmm(w, image.view(b, c, -1)).view(b, c, h, width)"
    ),
    "linear": (
        f"{SPLIT}\nq, k = q.softmax(dim=-1), k.softmax(dim=-2)\nout = q @ (k.transpose(-2, -1) @ v)\n"
        "out = out.transpose(1, 2).reshape(b, n, c)"
    ),
    "linear-features": (
        f"{SPLIT}\nq, k = F.elu(q) + 1, F.elu(k) + 1\nstate = torch.einsum('bhnd,bhne->bhde', k, v)\n"
        "out = torch.einsum('bhnd,bhde->bhne', q, state).transpose(1, 2).reshape(b, n, c)"
    ),
    "over-queries": (
        f"{SPLIT}\nw = (q @ k.transpose(-2, -1)).softmax(dim=-2)\nout = (w @ v).transpose(1, 2).reshape(b, n, c)"
    ),
    "over-heads": (
        f"{SPLIT}\nw = (q @ k.transpose(-2, -1)).softmax(dim=1)\nout = (w @ v).transpose(1, 2).reshape(b, n, c)"
    ),
    "slots": (
        f"{SPLIT}\nw = torch.einsum('bhid,bhjd->bhij', q, k).softmax(dim=2)\nw = w / w.sum(dim=-1, keepdim=True)\n"
        "out = (w @ v).transpose(1, 2).reshape(b, n, c)"
    ),
    "pooling": "w = (self.query @ self.k(x).transpose(-2, -1)).softmax(dim=-1)\nout = w @ self.v(x)",
    "pooling-first": (
        "q = self.q(x[:, :1])\nw = torch.softmax(q @ self.k(x).transpose(1, 2) / math.sqrt(24), dim=-1)\n"
        "out = w @ self.v(x)"
    ),
    "pooling-scores": "w = self.gate(x)[..., :1].softmax(dim=1)\nout = w.transpose(1, 2) @ x",
    "graph": "out = self.graph.softmax(dim=-1) @ self.v(x)",
    "distance": "w = (-torch.cdist(x, y)).softmax(dim=-1)\nout = w @ self.v(y)",
    "kernel": f"{SPLIT}\nout = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, c)",
    "sigmoid": f"{SPLIT}\nw = torch.sigmoid(q @ k.transpose(-2, -1))\nout = (w @ v).transpose(1, 2).reshape(b, n, c)",
    "no-softmax": f"{SPLIT}\nw = q @ k.transpose(-2, -1) / n\nout = (w @ v).transpose(1, 2).reshape(b, n, c)",
    "log-softmax": f"{SPLIT}\nout = (q @ k.transpose(-2, -1)).log_softmax(dim=-1) @ v",
    "similarity-only": "out = (self.q(x) @ self.k(y).transpose(1, 2)).softmax(dim=-1)",
    "times-scores": "w = (self.q(x) @ self.k(x).transpose(1, 2)).softmax(dim=-1)\nout = w * self.graph",
    "affinity-of-values": "w = (x @ self.graph.new_ones(24, 6)).softmax(dim=-1)\nout = w.sum(-1, keepdim=True) * x",
    "exp-sum": "e = torch.exp(self.gate(x))\nw = e / e.sum(dim=-1, keepdim=True)\nout = w @ self.experts",
}

SPREADS = ("statements", "method", "renamed")


def sources() -> list[tuple[str, str]]:
    """(name, program), every body spread in each way."""
    from .disguise import disguised

    made = []
    for name, body in BODIES.items():
        plain = HEAD + _indented(body, 8) + "\n        return out\n"
        made.append((f"{name}/statements", plain))
        inner = HEAD + "        return self.inner(x, y)\n\n    def inner(self, x, y):\n" + _indented(body, 8)
        made.append((f"{name}/method", inner + "\n        return out\n"))
        made.append((f"{name}/renamed", disguised(plain, seed=len(made))))
    return made


def _indented(text: str, columns: int) -> str:
    return "\n".join(" " * columns + line for line in text.split("\n"))
