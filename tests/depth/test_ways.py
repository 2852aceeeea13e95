"""Each operation with each way to write what it was given or returned: found where torch is silently wrong."""

from __future__ import annotations

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

OPERATIONS = [
    "t * w",
    "t + w",
    "t / w",
    "w / t",
    "t ** 2",
    "torch.sigmoid(t)",
    "torch.tanh(t)",
    "torch.exp(t)",
    "torch.log(t)",
    "torch.sqrt(t)",
    "torch.relu(t - 1)",
    "F.silu(t)",
    "F.gelu(t)",
    "F.softmax(t, dim=0)",
    "F.leaky_relu(t)",
    "torch.sin(t)",
    "t.clamp(0.6, 1.4)",
    "t.sum() * w",
    "t.view(2, 2) @ w.view(2, 2)",
    "torch.outer(t, w)",
    "torch.cumsum(t, 0)",
    "torch.where(w > 1, t, w)",
]
#: A way to write the tensor `{}`, and the rule that speaks of it where that is silently wrong.
WAYS = {
    "IPL201": [
        "{}.data.mul_(-0.7).add_(0.3)",
        "{}.data[1:] = -9.0",
        "{}.detach().apply_(lambda v: 0.3 - v)",
        "{}.untyped_storage().fill_(192)",  # bytes: each element is -6.0235
    ],
    "IPL202": [
        "{}.detach().numpy()[:] = -0.3",
        "torch.from_dlpack({}.detach()).mul_(-0.7)",
    ],
    "IPL203": [
        "with torch.autograd._unsafe_preserve_version_counter({0}), torch.no_grad():\n    {0}.mul_(-0.7)"
    ],
}
WRITES = [(code, way) for code, ways in WAYS.items() for way in ways]
PROGRAM = """\
import torch
import torch.nn.functional as F

w = torch.tensor([0.5, 1.5, 0.7, 1.2])
a = torch.tensor([0.9, 1.1, 1.3, 0.8], requires_grad=True)
t = a * 1
y = {operation}
{write}
y.square().sum().backward()
"""


@pytest.mark.parametrize("written", ["t", "y", "w"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_silent_write_is_found_where_torch_is_wrong(operation: str, written: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("numpy")
    from ..rules.silence import verdict

    for code, way in WRITES:
        source = PROGRAM.format(operation=operation, write=way.format(written))
        row = source[: source.index(way.format(written))].count("\n") + 1 + way.count("\n")
        said = {(one.location.row, one.code) for one in examine("program.py", source.encode(), Settings())}
        wrong = verdict(source) == "silent"
        assert said == ({(row, code)} if wrong else set()), source
