"""Writes that autograd does not see, to what it saved: torch says whether a gradient is wrong, so does the analysis.

Some nodes keep a tensor for its shape alone: such a write does no harm there.
"""

from __future__ import annotations

import pytest

import inplace_lint
from inplace_lint.torchmodel import table

torch = pytest.importorskip("torch")

#: calls of `y`, with whether backward reads the values of it
CALLS = {
    "F.avg_pool2d(y, 2)": False,
    "F.adaptive_avg_pool2d(y, 2)": False,
    "F.max_pool2d(y, 2)": False,
    "F.pad(y, (1, 1, 1, 1), mode='reflect')": False,
    "F.pad(y, (1, 1, 1, 1), mode='replicate')": False,
    "F.nll_loss(y, torch.zeros(2, 4, 4, dtype=torch.long))": False,
    "y.gather(1, torch.zeros(2, 1, 1, 1, dtype=torch.long))": False,
    "torch.take(y, torch.tensor([1, 2]))": False,
    "y.masked_select(torch.ones(2, 3, 4, 4) > 0)": False,
    "y.index_select(1, torch.tensor([1]))": False,
    "F.cross_entropy(y, torch.zeros(2, 4, 4, dtype=torch.long))": False,
    "F.mse_loss(y, torch.ones(2, 3, 4, 4))": True,
    "F.silu(y)": True,
    "y.log_softmax(1)": False,
    "y.prod()": True,
    "y * y": True,
}
PROGRAM = """
import torch
import torch.nn.functional as F


def run(x):
    y = x.cumsum(0)
    result = CALL
    WRITE
    result.sum().backward()
    return result
"""


@pytest.mark.parametrize("call", CALLS)
def test_a_write_behind_the_version_counter(call: str) -> None:
    gradients = []
    for write in ("pass", "y.data.mul_(3)"):
        names: dict[str, object] = {}
        exec(PROGRAM.replace("CALL", call).replace("WRITE", write), names)
        x = torch.linspace(0.1, 1.0, 96).view(2, 3, 4, 4).requires_grad_()
        names["run"](x)  # type: ignore[operator]
        gradients.append(x.grad)
    assert torch.equal(*gradients) != CALLS[call]
    source = PROGRAM.replace("CALL", call).replace("WRITE", "y.data.mul_(3)")
    codes = [
        one.code for one in inplace_lint.check(source, filename="a.py").diagnostics if one.severity == "error"
    ]
    assert codes == (["IPL201"] if CALLS[call] else [])


def test_both_ways_to_name_a_save() -> None:
    assert not table.reads("GatherBackward0", "self")
    assert table.reads("GatherBackward0", "index")
    assert table.reads("MulBackward0", "self")
