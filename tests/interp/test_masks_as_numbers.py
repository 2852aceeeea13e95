"""A mask that is converted to the dtype of a tensor with gradients is a copy: such a tensor is no mask itself.

So what is computed with it saves it surely, as surrogate gradients of spiking networks do. Torch says what raises.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        g = torch.sigmoid(self.lin(x))
        m = {mask}
        y = g * m
        {write}
        return y


if __name__ == "__main__":
    Net()(torch.randn(2, 3)).sum().backward()
"""
MASKS = [
    "(g > 0.5).to(g.dtype)",
    "(g > 0.5).to(g)",
    "(g > 0.5).type(g.dtype)",
    "(g > 0.5).type_as(g)",
    "(g > 0.5).to(self.lin.weight.dtype)",
    "(g.round() == 1).to(dtype=g.dtype)",
    "g.argmax(1, keepdim=True).to(g.dtype)",
]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("write", ["m += 1", "m = m + 1"])
def test_the_copy_is_saved(tmp_path: Path, mask: str, write: str) -> None:
    source = PROGRAM.format(mask=mask, write=write)
    (tmp_path / "main.py").write_text(source)
    assert ("IPL102" in told(source)) == refuses(tmp_path / "main.py", tmp_path) == (write == "m += 1")
