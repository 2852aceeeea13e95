"""A cache of another file that keeps its tensors in lists: who builds it and decodes step by step is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

CACHE = """class Cache:
    def __init__(self, layers, like):
        self.keys = [like.new_zeros(2, 4, 4) for _ in range(layers)]

    def update(self, layer, position, key):
        {update}
        return self.keys[layer]
"""
MODEL = """import torch
from torch import nn

from cache import Cache


class Attention(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.lin = layer, nn.Linear(4, 4)

    def forward(self, x, position, cache):
        query = self.lin(x)
        return query @ cache.update(self.layer, position, query)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.layers = nn.ModuleList(Attention(i) for i in range(2))

    def decode(self, token, steps):
        cache = Cache(len(self.layers), self.embed.weight)
        x, out = self.embed(token).unsqueeze(1), []
        for step in range(steps):
            for layer in self.layers:
                x = layer(x, torch.tensor([step]), cache)
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
