"""A cache of another file that keeps its tensors in lists: who builds it and decodes step by step is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

#: Two classes have the method, so that a call of it on an argument may be of either.
CACHE = """import torch


class Growing:
    def __init__(self, layers):
        self.keys = [None] * layers

    def update(self, layer, position, key):
        held = self.keys[layer]
        self.keys[layer] = key if held is None else torch.cat([held, key], 1)
        return self.keys[layer]


class Cache:
    def __init__(self, layers, like):
        self.keys = [like.new_zeros(2, 4, 4) for _ in range(layers)]

    def update(self, layer, position, key):
        {update}
        return self.keys[layer]
"""
MODEL = """import torch
from torch import nn

from cache import Cache, Growing


class Attention(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.lin = layer, nn.Linear(4, 4)

    def forward(self, x, position, cache):
        query = self.lin(x)
        scores = query @ cache.update(self.layer, position, query)
        scores /= 2.0
        return scores


class Block(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(4), Attention(layer)

    def forward(self, x, position, cache):
        return x + self.attention(self.norm(x), position, cache)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.layers = nn.ModuleList(Block(i) for i in range(2))

    def step(self, x, step, cache):
        for layer in self.layers:
            x = layer(x, torch.tensor([step]), cache)
        return x

    def make_cache(self, growing=False):
        layers = len(self.layers)
        return Growing(layers) if growing else Cache(layers, self.embed.weight)

    def decode(self, token, steps):
        cache = self.make_cache()
        x, out = self.embed(token).unsqueeze(1), []
        for step in range(steps):
            x = self.step(x, step, cache)
            out.append(x)
        return torch.cat(out, 1)
"""


@pytest.mark.parametrize(
    ("update", "bad"),
    [
        ("self.keys[layer].index_copy_(1, position, key)", True),
        ("self.keys[layer] = self.keys[layer].index_copy(1, position, key)", False),
    ],
)
def test_the_next_step_writes_what_the_product_saved(tmp_path: Path, update: str, bad: bool) -> None:
    (tmp_path / "cache.py").write_text(CACHE.format(update=update))
    (tmp_path / "model.py").write_text(MODEL)
    path = str(tmp_path / "model.py")
    found = check_source(path, MODEL.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.code == "IPL102" and one.severity == "error" for one in found) == bad
