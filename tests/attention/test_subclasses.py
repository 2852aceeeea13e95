"""A fix in a method takes what subclasses have in its place into account: their objects run the same method."""

from __future__ import annotations

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

PROGRAM = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.q = nn.Linear(size, size)
        self.scale = size**-0.5

    def mask(self, scores):
        return scores

    def forward(self, x, k, v):
        q = self.q(x)
        scores = self.mask(q @ k.transpose(-2, -1) * self.scale)
        return torch.softmax(scores, dim=-1) @ v


class {name}(Attention):
    def {method}(self, scores):
        return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf"))
"""


@pytest.mark.parametrize(("method", "fixed"), [("mask", False), ("other", True)])
def test_method_that_a_subclass_has_of_its_own_is_not_written_out(method: str, fixed: bool) -> None:
    source = PROGRAM.format(name="Causal", method=method)
    (found,) = [one for one in examine("program.py", source.encode(), Settings()) if one.code == "IPL401"]
    assert (found.plan is not None) == fixed
    assert (found.fix_refused == "a subclass in this file has another `mask`") == (not fixed)
