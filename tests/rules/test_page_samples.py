"""The samples of the rules' pages: each example is reported by its rule, what to use instead is not."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.project import Settings

RULES = Path(__file__).parents[2] / "rules"

IMPORTS = """\
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


"""

#: A model with the layers that the samples call; they are a method of it, or its forward.
MODEL = """\
class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.proj = self.stem = self.body = self.encode = self.q = self.k = self.v = nn.Linear(16, 16)
        self.conv = nn.Conv2d(3, 3, 3)
        self.attn = nn.MultiheadAttention(16, 4)
        self.weight = nn.Parameter(torch.zeros(16, 16))
        self.act = nn.ReLU(inplace=True)
        self.register_buffer("workspace", torch.zeros(16, 16))

"""
METHOD = MODEL + "    {sample}\n"
FORWARD = MODEL + "    def forward(self, x, {arguments}):\n        {sample}\n        return {result}\n"

TRAINING = """\
discriminator, generator = nn.Linear(4, 1), nn.Linear(4, 4)
criterion = nn.BCEWithLogitsLoss()
opt_d = torch.optim.SGD(discriminator.parameters(), 0.1)
opt_g = torch.optim.SGD(generator.parameters(), 0.1)
fake, zeros, ones = generator(torch.randn(8, 4)), torch.zeros(8, 1), torch.ones(8, 1)
{sample}
"""
LOSSES = """\
model, losses, rows = nn.Linear(10, 1), [], [np.ones(10), np.zeros(10)]
{sample}
"""

AXES = """\
class Attention(nn.Module):
    def __init__(self, dim=24, heads=3, groups=1):
        super().__init__()
        self.heads, self.groups = heads, groups
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        heads, width = self.heads, c // self.heads
        {sample}
        return out
"""
HEADS = AXES.replace(
    "        {sample}",
    """\
        q = self.q(x).view(b, n, heads, width).transpose(1, 2)
        k = self.k(x).view(b, n, self.groups, width).transpose(1, 2)
        v = self.v(x).view(b, n, self.groups, width).transpose(1, 2)
        {sample}""",
)

#: What surrounds the samples of a rule where that is no method.
SURROUNDINGS = {
    "IPL103": "{sample}",
    "IPL105": "{sample}",
    "IPL106": TRAINING,
    "IPL108": FORWARD.format(arguments="memory, index", sample="{sample}", result="memory"),
    "IPL202": LOSSES,
    "IPL205": "{sample}",
    "IPL206": FORWARD.format(arguments="scores, mask, cache, keys, positions", sample="{sample}", result="x"),
    "IPL302": "{sample}",
    **{
        code: FORWARD.format(arguments="q, k, v, n, past_k, past_v", sample="{sample}", result="out")
        for code in ("IPL401", "IPL501", "IPL503", "IPL504")
    },
    **{code: HEADS for code in ("IPL403", "IPL404")},
    "IPL502": AXES,
    "IPL402": FORWARD.format(arguments="mask", sample="{sample}", result="y"),
}


def samples(code: str, heading: str) -> list[str]:
    """The Python under a heading of the rule's page, each block within its surroundings."""
    page = next(RULES.glob(f"{code}-*")) / "README.md"
    section = page.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [within(code, block) for block in re.findall(r"```python\n(.*?)```", section, re.S)]


def within(code: str, block: str) -> str:
    around = SURROUNDINGS.get(code, METHOD)
    indent = re.search(r"^( *)\{sample\}", around, re.M)
    assert indent is not None
    return IMPORTS + around.replace(indent[1] + "{sample}", textwrap.indent(block.rstrip(), indent[1]))


def reported(source: str) -> list[str]:
    compile(source, "page.py", "exec")
    settings = Settings(notes=True, min_confidence="possible")
    return [one.code for one in everything("page.py", source.encode(), settings)]


CODES = [path.name[:6] for path in sorted(RULES.iterdir()) if path.name[:4] > "IPL0"]


@pytest.mark.parametrize("code", CODES)
def test_example_is_reported(code: str) -> None:
    shown = samples(code, "Example")
    assert shown
    for source in shown:
        assert code in reported(source), source


@pytest.mark.parametrize("code", CODES)
def test_what_to_use_instead_is_not_reported(code: str) -> None:
    for source in samples(code, "Use instead"):
        assert code not in reported(source), source
