"""What decides a verdict: the error that PyTorch raises, the bytes that are written, and values that may be others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_lint.runtime import blocks
from inplace_lint.runtime.constants import vary
from inplace_lint.runtime.observe import Run, worst_error

from .command import about

pytestmark = pytest.mark.usefixtures("no_traces")

HEAD = "import torch\nfrom torch import nn\n\n"


def judged(folder: Path, source: str, code: str, write: str, *names: str) -> dict[str, Any]:
    file = folder / "to_be_judged.py"
    file.write_text(HEAD + source)
    (verdict,) = blocks.examine(about(file, code, write, *names), lambda *stage: None)
    return verdict


@pytest.mark.parametrize(
    ("dtype", "more", "is_wrong"),
    [
        (torch.float32, 1e-9, False),
        (torch.float32, 1e-3, True),
        (torch.bfloat16, 1e-3, False),
        (torch.float64, 1e-9, True),
    ],
)
def test_a_difference_below_the_rounding_is_no_wrong_gradient(
    dtype: torch.dtype, more: float, is_wrong: bool
) -> None:
    true = torch.full((50,), 1e-3, dtype=torch.float64)
    given = true * (1 + more)
    runs = [Run(None, [[one.to(dtype)]], []) for one in (given, true)]
    error = worst_error(*runs)
    assert error is not None
    assert (error > 0) == is_wrong


RAISING = {
    "IPL103, a leaf in the constructor": (
        """\
class Block(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width, width))
        self.weight[0] = 0.0

    def forward(self, x):
        return x @ self.weight
""",
        "self.weight[0] =",
        ("Block", "__init__"),
    ),
    "IPL105, an expanded tensor": (
        """\
def shift(x: torch.Tensor):
    y = x.mean(0, keepdim=True).expand(3, *x.shape[1:])
    y += 1
    return y
""",
        "y +=",
        ("shift",),
    ),
    "IPL108, of another rule's kind at the same line": (
        """\
def halves(x: torch.Tensor):
    first, second = x.chunk(2)
    first += 1
    return first, second
""",
        "first +=",
        ("halves",),
    ),
}


@pytest.mark.parametrize("case", RAISING)
def test_the_error_at_the_write_is_the_confirmation(tmp_path: Path, case: str) -> None:
    source, write, names = RAISING[case]
    verdict = judged(tmp_path, source, case[:6], write, *names)
    assert verdict["status"] == "confirmed", verdict
    assert verdict["reason"].startswith("PyTorch raises at the write: ")


def test_an_error_elsewhere_confirms_nothing(tmp_path: Path) -> None:
    source = """\
def mixed(x: torch.Tensor):
    y = torch.sigmoid(x * 2)
    w = torch.zeros(3, requires_grad=True)
    w.add_(1)
    y += 1
    return y
"""
    verdict = judged(tmp_path, source, "IPL101", "y +=", "mixed")
    assert verdict["status"] == "inconclusive", verdict


SAME_VALUES = {
    "zeros": "y += torch.zeros(3)",
    "ones": "y.mul_(1)",
    "a clamp that clips nothing": "y.clamp_(0, 1)",
    "the rectifier of what is positive": "torch.relu_(y)",
    "a part of it": "y[:2].mul_(1)",
}


@pytest.mark.parametrize("write", SAME_VALUES.values(), ids=SAME_VALUES)
def test_a_write_to_saved_bytes_raises_whatever_the_values(tmp_path: Path, write: str) -> None:
    source = (
        f"def f():\n    y = torch.sigmoid(torch.rand(3, requires_grad=True))\n    {write}\n    return y\n"
    )
    verdict = judged(tmp_path, source, "IPL101", write, "f")
    assert verdict["status"] == "confirmed", verdict
    assert "PyTorch compares versions, not values" in verdict["reason"]


DISJOINT = {
    "another row": "base[1].fill_(1)",
    "every other element": "base.view(-1)[1::2].fill_(1)",
}


@pytest.mark.parametrize("write", DISJOINT.values(), ids=DISJOINT)
def test_a_write_beside_the_saved_bytes_is_spurious(tmp_path: Path, write: str) -> None:
    part = "base[0]" if "[1].fill" in write else "base.view(-1)[::2]"
    source = f"""\
def f():
    a = torch.rand(3, requires_grad=True)
    base = torch.zeros(2, 3)
    y = a * {part}
    {write}
    return y
"""
    verdict = judged(tmp_path, source, "IPL102", write, "f")
    assert verdict["status"] == "spurious", verdict


def test_constants_of_a_module_get_other_values(tmp_path: Path) -> None:
    source = """\
class Scaled(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor):
        y = torch.tanh(x * 0.3)
        y.data.mul_(self.gain)
        return y
"""
    verdict = judged(tmp_path, source, "IPL201", "y.data", "Scaled", "forward")
    assert verdict["status"] == "confirmed", verdict


def test_a_silent_write_that_changes_no_value_is_not_refuted(tmp_path: Path) -> None:
    source = """\
def f():
    y = torch.tanh(torch.rand(3, requires_grad=True))
    y.data.mul_(torch.ones(3))
    return y
"""
    file = tmp_path / "to_be_judged.py"
    file.write_text(HEAD + source)
    arguments = about(file, "IPL201", "y.data", "f")
    arguments["findings"][0]["saves"] = [[arguments["file"], 5, 5]]
    (verdict,) = blocks.examine(arguments, lambda *stage: None)
    assert verdict["status"] == "inconclusive", verdict
    assert "left every byte" in verdict["reason"]


def test_only_constants_are_varied_and_signs_stay() -> None:
    module = torch.nn.BatchNorm1d(4)
    module.flag = torch.nn.Buffer(torch.zeros(1))
    module.register_parameter("own", torch.nn.Parameter(torch.tensor([1.0, 2.0])))
    assert vary(module)
    assert module.weight.min() > 0 and len(module.weight.unique()) == 4
    assert module.running_var.min() > 0 and module.running_mean.min() > 0
    assert module.flag.item() == 0 and module.own.tolist() == [1.0, 2.0]
    assert not vary(torch.nn.Linear(3, 3))
