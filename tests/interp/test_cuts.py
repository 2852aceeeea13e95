"""Parts of a tensor that `split` or `chunk` returned stay such parts when they are reshaped, where torch says so."""

from __future__ import annotations

import itertools

import pytest

from inplace_lint.torchmodel.recipes import merges_across

from .in_torch import told

torch = pytest.importorskip("torch")
einops = pytest.importorskip("einops")

HEAD = """\
import torch
from einops import rearrange

linear = torch.nn.Linear(4, 12)
x = torch.ones(2, 3, 4)
heads = 2


def split_heads(t, heads):
    b, n, c = t.size()
    return torch.reshape(t, (b, n, heads, c // heads))


parts = linear(x).{cut}
q = {form}
q *= 0.5
q.sum().backward()
"""

#: How the result of a linear layer is cut and reshaped, and what torch then says of `q *= 0.5`.
FORMS = (
    ("chunk(3, dim=-1)", "split_heads(parts[0], heads)"),
    ("chunk(3, dim=-1)", "parts[0].reshape(2, 3, heads, 2)"),
    ("chunk(3, dim=-1)", "parts[0].reshape(2, 3, heads, -1).transpose(1, 2)"),
    ("chunk(3, dim=-1)", "parts[0].reshape(2, -1)"),
    ("chunk(3, dim=-1)", "parts[0].reshape(-1)"),
    ("split(4, dim=2)", "rearrange(parts[0], 'b n (h d) -> b h n d', h=heads)"),
    ("split(4, dim=2)", "rearrange(parts[0], 'b n (h d) -> (b h) n d', h=heads)"),
    ("split(4, dim=2)", "rearrange(parts[0], 'b n c -> (b n) c')"),
    ("split(4, dim=2)", "rearrange(parts[0], 'b n c -> b (n c)')"),
    ("chunk(3, dim=1)", "rearrange(parts[0], 'b n (h d) -> b n h d', h=heads)"),
    ("chunk(3, dim=1)", "parts[0].clone().reshape(2, 1, heads, 6)"),
)


@pytest.mark.parametrize(("cut", "form"), FORMS)
def test_a_part_that_is_reshaped_is_told_where_torch_refuses_the_write(cut: str, form: str) -> None:
    program = HEAD.format(cut=cut, form=form)
    refused = False
    try:
        exec(program, {})
    except RuntimeError as error:
        assert "is a view" in str(error)
        refused = True
    assert (told(program) == ["IPL104"]) is refused


PATTERNS = (
    "b (h d) x y -> b h (x y) d",
    "b c x y -> b (c x y)",
    "b c x y -> b (x y) c",
    "b c x y -> (b c) x y",
    "(b s) c x y -> b s c x y",
    "b (h d) x y -> (b h) d x y",
    "b c x y -> b c (x y)",
    "b ... y -> b y ...",
)


@pytest.mark.parametrize(("pattern", "axis"), [*itertools.product(PATTERNS, (0, 1, 2, 3, -1, -2))])
def test_merging_on_one_side_of_the_cut_makes_a_view(pattern: str, axis: int) -> None:
    part = torch.ones(4, 4, 4, 4).chunk(2, dim=axis)[0]
    lengths = {name: 2 for name in "hs" if name in pattern.partition("->")[0]}
    made = einops.rearrange(part, pattern, **lengths)
    shares = made.data_ptr() == part.data_ptr()
    if "..." in pattern:
        assert shares or merges_across(pattern, axis)
    else:
        assert shares is not merges_across(pattern, axis)
