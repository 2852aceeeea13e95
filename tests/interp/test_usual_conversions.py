"""A conversion to float32, to the dtype of another tensor or to a device usually gives the tensor itself.

Written in place, it then spoils what the op before it saved. That is told as likely; torch, which computes in float32
on one device here, says which programs raise. What surely copies there (another dtype) is possible at most.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

from .in_torch import spoils

torch = pytest.importorskip("torch")

PROGRAM = """
import torch
from torch import nn
from torch.nn import functional as F


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 1)

    def forward(self, x):
        y = torch.sigmoid(self.conv(x))
        z = {given}
        z += 1
        return z * y
"""
#: They give the tensor itself where all is float32, contiguous and on one device.
SHARE = [
    ".float()",
    ".to(torch.float32)",
    ".to(x.dtype)",
    ".type_as(x)",
    ".to(x)",
    ".to(x.device)",
    ".to(device=x.device, dtype=x.dtype)",
    ".float().to(x.dtype)",
    ".contiguous()",
    ".reshape(x.shape)",
]
#: They make a copy of a float32 tensor, or of one on another device.
COPY = [".double()", ".half().float()", ".to(torch.bfloat16)", ".to(torch.float64)"]


def _reported(given: str) -> list[str]:
    """The confidences above `possible` of the findings."""
    source = PROGRAM.format(given=given).encode()
    found = check_source("m.py", source, Settings(select=("IPL1",)), Project())
    return [one.confidence for one in found if one.confidence != "possible"]


def _raises(given: str) -> bool:
    scope: dict[str, object] = {}
    exec(PROGRAM.format(given=given), scope)
    gate = scope["Gate"]
    assert callable(gate)
    try:
        gate()(torch.randn(2, 4, 3)).sum().backward()
    except RuntimeError as error:
        return "inplace operation" in str(error)
    return False


@pytest.mark.parametrize("conversion", SHARE)
def test_a_usual_conversion_is_told_as_likely(conversion: str) -> None:
    assert _raises(f"y{conversion}")
    assert _reported(f"y{conversion}") == ["likely"]


@pytest.mark.parametrize("conversion", COPY)
def test_a_conversion_that_copies_is_not_told(conversion: str) -> None:
    assert not _raises(f"y{conversion}")
    assert _reported(f"y{conversion}") == []


@pytest.mark.parametrize("conversion", [".cpu()", ".to('cpu')"])
def test_a_copy_to_the_cpu_is_not_told(conversion: str) -> None:
    """It is said where a GPU trains, and copies there; only on a CPU, as here, it shares memory."""
    assert _raises(f"y{conversion}")
    assert _reported(f"y{conversion}") == []


@pytest.mark.parametrize("conversion", SHARE[:4])
def test_a_part_that_chunk_returned_is_told_as_likely(conversion: str) -> None:
    """Such a part must not be written in place at all: torch raises at the write."""
    given = f"y.chunk(2, 1)[0]{conversion}.mul_(2).sum()"
    assert _raises(given)
    assert _reported(given) == ["likely"]


BUILT = """
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, scale: torch.Tensor):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 1)
        self.scale = scale
        self.flat = scale.reshape(-1)

    def forward(self, x):
        y = self.conv(x) * self.scale
        self.flat.mul_(2)
        return y
"""


def test_what_the_constructor_reshapes_is_told_as_likely() -> None:
    """What a run that builds objects learns of an operation holds in the runs that use these."""
    scope: dict[str, object] = {}
    exec(BUILT, scope)
    scaled = scope["Scaled"]
    assert callable(scaled)
    with pytest.raises(RuntimeError, match="inplace operation"):
        scaled(torch.ones(4, 1))(torch.randn(2, 4, 3)).sum().backward()
    found = check_source("m.py", BUILT.encode(), Settings(select=("IPL1",)), Project())
    assert [(one.code, one.confidence) for one in found] == [("IPL102", "likely")]


def test_explain_says_what_is_usual(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(PROGRAM.format(given="y.float()"))
    row = 1 + file.read_text().splitlines().index("        z += 1")
    told = subprocess.run(
        [sys.executable, "-m", "inplace_lint", "explain", f"{file}:{row}"], capture_output=True, text=True
    )
    assert "which is usual where all is float32" in told.stdout


def test_what_dropout_gives_back_in_evaluation_is_no_usual_conversion() -> None:
    """It copies where the model is trained, and only there is the result needed."""
    assert not _raises("F.dropout(y, 0.5, self.training)")
    assert _reported("F.dropout(y, 0.5, self.training)") == []


GIVEN = """
import torch
from torch import nn

from targets import each_task


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, boxes, target):
        masks = torch.stack(each_task(boxes))
        made = {made}
        mask = made.unsqueeze(1).expand_as(target).float()
        mask *= (~torch.isnan(target)).float()
        return (mask * self.scale).sum()
"""


@pytest.mark.parametrize("made, told", [("masks", []), ("masks * self.scale", ["likely"])])
def test_what_was_only_stacked_has_the_dtype_of_its_elements(made: str, told: list[str]) -> None:
    """Who calls `float()` on what other code gives converts it; a product with a parameter is float32 as a rule."""
    source = GIVEN.format(made=made).encode()
    found = check_source("m.py", source, Settings(select=("IPL105",)), Project())
    assert [one.confidence for one in found if one.confidence != "possible"] == told


LAID_OUT = """
import torch
from torch import nn


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        B, N, C = x.shape
        x = torch.mul(x, 1.0)
        y = x.{order}.{shape} * self.scale
        x += 1
        return y.sum() + x.sum()
"""


@pytest.mark.parametrize("order", ["transpose(1, 2)", "permute(0, 2, 1)", "mT"])
@pytest.mark.parametrize(
    "shape",
    ["reshape(B, C, 2, 2)", "reshape((B, C, 2, -1))", "reshape(B * C, N)", "reshape(B, -1)", "reshape(-1)"],
)
def test_taking_an_axis_apart_copies_in_no_order_of_them(order: str, shape: str) -> None:
    """`tokens.transpose(1, 2).reshape(B, C, H, W)` is a view; what puts axes together that were swapped is none."""
    source = LAID_OUT.format(order=order, shape=shape)
    scope: dict[str, object] = {}
    exec(source, scope)
    made = scope["Tokens"]
    assert callable(made)
    raises = spoils(made()(torch.randn(2, 4, 3)))
    found = check_source("m.py", source.encode(), Settings(select=("IPL1",)), Project())
    told = [one.confidence for one in found if one.confidence != "possible"]
    assert bool(told) is (raises and "2, " in shape.removeprefix("reshape(B * C"))
