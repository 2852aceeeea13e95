"""The kernel's result lies in memory in another order than a product's: what asks for the order is mended, or said."""

from __future__ import annotations

import pytest

from . import real

pytestmark = pytest.mark.usefixtures("float64")

MODULE = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.act = nn.Linear(24, 72), nn.ReLU()

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, 3, 8).permute(2, 0, 3, 1, 4).unbind(0)
        out = (q @ k.transpose(-2, -1) / 8**0.5).softmax(-1) @ v
        return {}


def build():
    return Block(), (torch.randn(2, 5, 24),)
"""

VIEWS = {
    "view": "out.view(b * 3, n, 8) * 1.0",
    "view-of-a-product": "(out * 2).view(b, -1) + 0.0",
    "view-of-a-clone": "out.clone().view(b, -1) + 0.0",
    "view-of-an-activation": "self.act(out).view(b, -1) + 0.0",
    "view-of-a-part": "out[:, :2].view(b, 2, -1) + 0.0",
    "view-of-a-copy": "out.transpose(1, 2).contiguous().view(b, n, c) + 0.0",
}


@pytest.mark.parametrize("name", VIEWS)
def test_fixed_program_runs_and_is_the_same(name: str) -> None:
    program = MODULE.format(VIEWS[name])
    (found,) = real.findings(program)
    assert found.plan is not None and found.plan.applicability == "safe", found.fix_refused
    fixed = real.fixed(program, found)
    assert (".view" in fixed) == (name == "view-of-a-copy")
    after = real.run(fixed)
    assert real.are_same(real.run(program), after)
    assert after.fused


CALLER = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(24, 72)

    def _attend(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, 3, 8).permute(2, 0, 3, 1, 4).unbind(0)
        return (q @ k.transpose(-2, -1) / 8**0.5).softmax(-1) @ v

    def forward(self, x):
        return self._attend(x).{}(x.shape[0], -1) + 0.0


def build():
    return Block(), (torch.randn(2, 5, 24),)
"""


@pytest.mark.parametrize(("method", "copied"), [("view", True), ("reshape", False)])
def test_result_for_a_caller_that_views_it_is_laid_out_as_before(method: str, copied: bool) -> None:
    program = CALLER.format(method)
    (found,) = real.findings(program)
    fixed = real.fixed(program, found)
    assert (".contiguous()" in fixed) == copied
    assert real.are_same(real.run(program), real.run(fixed))


def test_public_function_says_that_its_result_must_not_be_viewed() -> None:
    (found,) = real.findings(CALLER.format("reshape").replace("_attend", "attend"))
    assert found.plan is not None
    assert "a caller must not call `view` on it" in found.plan.told()


CHANNELS = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1), nn.Conv2d(8, {width}, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q = self.q(x).view(b, -1, h * w).permute(0, 2, 1)
        k, v = self.k(x).view(b, -1, h * w), self.v(x).view(b, -1, h * w)
        weights = torch.softmax(torch.bmm(q, k) * 8**-0.5, dim=-1)
        return torch.bmm(v, weights.permute(0, 2, 1)).view(b, {width}, h, w) + 0.0


def build():
    return Block(), (torch.randn(2, 8, 3, 4),)
"""


@pytest.mark.parametrize(("width", "saves"), [(8, True), (16, False)])
def test_fix_says_that_it_keeps_no_scores_only_where_it_does(width: int, saves: bool) -> None:
    program = CHANNELS.format(width=width)
    (found,) = real.findings(program)
    assert found.plan is not None
    assert ("keeps no scores" in found.plan.message) == saves
    assert found.plan.applicability == ("safe" if saves else "unsafe")
    after = real.run(real.fixed(program, found))
    assert after.fused == saves
    assert real.are_same(real.run(program), after)


PARTS = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(24, 72)

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape({})
        q, k, v = {}
        return (q @ k.transpose(-2, -1) / 8**0.5).softmax(-1) @ v


def build():
    return Block(), (torch.randn(2, 5, 24),)
"""

#: (shape, parts, whether the last axis of a part has stride 1)
STRIDES = {
    "unbind-first": ("b, n, 3, 3, 8).permute(2, 0, 3, 1, 4", "qkv.unbind(0)", True),
    "unbind-last": ("b, n, 3, 8, 3).transpose(1, 2", "qkv.unbind(-1)", False),
    "unbind-last-by-number": ("b, n, 3, 8, 3).transpose(1, 2", "qkv.unbind(4)", False),
    "index-last": ("b, n, 3, 8, 3).transpose(1, 2", "qkv[..., 0], qkv[..., 1], qkv[..., 2]", False),
    "index-middle": ("b, n, 3, 3, 8).transpose(1, 3", "qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]", True),
    "slices": ("b, n, 3, 24).transpose(1, 2", "qkv[..., :8], qkv[..., 8:16], qkv[..., 16:]", True),
    "steps": ("b, n, 3, 24).transpose(1, 2", "qkv[..., ::3], qkv[..., 1::3], qkv[..., 2::3]", False),
}


@pytest.mark.parametrize("name", STRIDES)
def test_operand_is_made_contiguous_exactly_where_its_last_axis_has_a_stride(name: str) -> None:
    shape, parts, dense = STRIDES[name]
    program = PARTS.format(shape, parts)
    (found,) = real.findings(program)
    fixed = real.fixed(program, found)
    assert (".contiguous()" not in fixed) == dense
    after = real.run(fixed)
    assert real.are_same(real.run(program), after)
    assert after.fused
