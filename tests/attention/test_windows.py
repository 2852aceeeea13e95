"""What an attention within windows keeps grows with the number of positions, and the message counts it so.

Sizes are asked of torch: the tensors of the scores' size that autograd saves, for a module as each program builds it.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import inplace_lint

torch = pytest.importorskip("torch")

_HEAD = """
import torch
from torch import nn

class Windows(nn.Module):
    def __init__(self, dim=32, heads=4, window=4, size=(2, 2)):
        super().__init__()
        self.heads, self.window, self.size = heads, window, size
        self.qkv = nn.Linear(dim, dim * 3)
        self.bias = nn.Parameter(torch.zeros(heads, window, window))
        self.table = nn.Parameter(torch.zeros((2 * size[0] - 1) * (2 * size[1] - 1), heads))
        self.register_buffer("index", torch.zeros(4, 4, dtype=torch.long))
"""

#: Programs whose number of keys is a setting: (forward, W in words).
_WINDOWS = {
    "cut by the function itself": (
        """
    def forward(self, x):
        b, n, c = x.shape
        x = x.view(b * n // self.window, self.window, c)
        q, k, v = self.qkv(x).view(-1, self.window, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
""",
        "W=4",
    ),
    "cut by the caller, told by a bias": (
        """
    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5 + self.bias, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
""",
        "W=4",
    ),
    "told by a bias that is looked up": (
        """
    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        area = self.size[0] * self.size[1]
        bias = self.table[self.index.view(-1)].view(area, area, -1).permute(2, 0, 1)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5 + bias.unsqueeze(0), dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
""",
        "",
    ),
}

#: Programs whose number of keys depends on the data.
_WHOLE = {
    "no bias": """
    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
""",
    "a bias that is cut to the length of the data": """
    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5 + self.bias[:, :n, :n], dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
""",
    "a bias for each head, the same for all keys": """
    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        bias = self.table[0].view(self.heads, 1, 1)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5 + bias, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
""",
    "a length that another method takes of the data": """
    def begin(self, x):
        self.window = x.shape[1]

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, self.window, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, self.window, c)
""",
    "a length that the caller of forward gives": """
    def forward(self, x, n=4):
        x = x.view(-1, n, 32)
        q, k, v = self.qkv(x).view(-1, n, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(-1, n, 32)
""",
}


def _caption(program: str) -> str:
    found = [one for one in inplace_lint.check(program).diagnostics if one.code == "IPL401"]
    assert len(found) == 1
    return re.sub(r"\s+", " ", str(found[0].caption))


@pytest.mark.parametrize("name", _WINDOWS)
def test_a_window_is_told_by_its_width(name: str) -> None:
    forward, width = _WINDOWS[name]
    caption = _caption(_HEAD + forward)
    assert "B·H·N·W × weights bf16" in caption
    assert ("8.0 MiB at the default sizes B=8, H=16, N=8192, W=4" in caption) == bool(width)


@pytest.mark.parametrize("name", _WHOLE)
def test_what_grows_with_the_data_is_told_by_its_square(name: str) -> None:
    assert "B·H·L·S × weights bf16: 16 GiB at the default sizes B=8, H=16, L=S=8192" in _caption(
        _HEAD + _WHOLE[name]
    )


def test_torch_keeps_what_the_formula_counts() -> None:
    space: dict[str, Any] = {}
    exec(_HEAD + _WINDOWS["cut by the function itself"][0], space)
    module = space["Windows"]()
    kept: dict[int, int] = {}

    def pack(tensor: Any) -> Any:
        if tensor.dim() >= 3 and tensor.shape[-2:] == (4, 4):
            kept[tensor.untyped_storage().data_ptr()] = tensor.numel()
        return tensor

    batch, positions = 2, 16
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        module(torch.randn(batch, positions, 32))
    assert sum(kept.values()) == batch * module.heads * positions * module.window


def test_sizes_that_double_again_and_again_are_followed_a_few_steps() -> None:
    forward = """
    def forward(self, x):
        b, n, c = x.shape
        size = self.window
{doubled}
        q, k, v = self.qkv(x).view(b, size, 3, self.heads, 8).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
"""
    assert "W=8" in _caption(_HEAD + forward.format(doubled="        size = size + size"))
    many = "\n".join(["        size = size + size"] * 60)
    assert "B·H·L·S" in _caption(_HEAD + forward.format(doubled=many))
