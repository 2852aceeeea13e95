"""Lines behind a test of a mode, an option, a size or an omitted argument are reached by other inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.runtime import blocks
from inplace_lint.runtime.inputs import Call, build
from inplace_lint.runtime.inputs.capture import from_capture
from inplace_lint.runtime.targets import imported

from .command import about, inplace_lint

pytestmark = pytest.mark.usefixtures("no_traces")

NET = """\
import enum
import torch
from torch import nn

class Kind(enum.Enum):
    PLAIN = 1
    DEEP = 2

class Net(nn.Module):
    def __init__(self, width=6, deep=False, kind="plain", form=Kind.PLAIN, chunk=300):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.deep, self.kind, self.form, self.chunk = deep, kind, form, chunk

    def forward(self, x, mask=None, step=0):
        y = torch.tanh(self.proj(x))
        if {test}:
            y {write}
        return y
"""
TESTS = {
    "not self.training": ("training", "False"),
    "self.deep": ("deep", "True"),
    "self.kind == 'other'": ("kind", "'other'"),
    "self.form is Kind.DEEP": ("form", "<Kind.DEEP: 2>"),
    "mask is not None": ("mask", "bool[2,64]"),
    "step > 100": ("step", "101"),
    "x.shape[0] == 1": ("x", "f32[1,64,6]"),
    "x.shape[1] % 2": ("x", "f32[2,63,6]"),
    "x.shape[1] > 500": ("x", "f32[2,501,6]"),
    "x.shape[1] > self.chunk": ("x", "f32[2,301,6]"),
}


def judged(folder: Path, test: str, write: str) -> dict[str, Any]:
    file = folder / "net_of_options.py"
    file.write_text(NET.format(test=test, write=write))
    (verdict,) = blocks.examine(about(file, "IPL101", f"y {write}", "Net", "forward"), lambda *stage: None)
    return verdict


@pytest.mark.parametrize("test", TESTS)
def test_other_inputs_reach_a_line(tmp_path: Path, test: str) -> None:
    verdict = judged(tmp_path, test, "+= 1")
    name, value = TESTS[test]
    assert verdict["status"] == "confirmed", verdict
    assert verdict["inputs"][name] == value


def test_they_refute_nothing_and_the_reason_is_that_of_the_first_inputs(tmp_path: Path) -> None:
    verdict = judged(tmp_path, "self.deep", "= y + 1")
    assert verdict["status"] == "inconclusive"
    assert verdict["reason"].endswith("did not run on these inputs")


def test_a_capture_carries_the_mode(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(NET.format(test="not self.training", write="+= 1"))
    (tmp_path / "run.py").write_text(
        "import torch\nfrom model import Net\nNet().eval()(torch.rand(2, 5, 6))\n"
    )
    assert inplace_lint(tmp_path, "capture", "run.py").returncode == 0
    uses = json.loads((tmp_path / "inplace-lint-capture.json").read_text())["classes"]
    target = imported("model", str(tmp_path / "model.py")).Net
    call = from_capture(target, uses)
    assert call is not None
    assert not call.function().training  # type: ignore[attr-defined]


def only_of_five(x):  # type: ignore[no-untyped-def]
    assert x.shape[-1] == x.shape[-2] == 28, "of one size"
    return x * x.new_ones(3, 1, 1)


def only_of_remainder(x):  # type: ignore[no-untyped-def]
    _batch, length, _width = x.shape
    if length % 4 != 1:
        raise ValueError("with a class token")
    return x * 2


@pytest.mark.parametrize("target", [only_of_five, only_of_remainder])
def test_a_size_that_a_check_refuses_is_changed(target: Any) -> None:
    assert isinstance(build(target), Call)
