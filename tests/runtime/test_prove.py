"""`check --fix --prove`: what is proved is made, what is not is left and said, and the proofs are written down."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from inplace_lint.model import Diagnostic, Location
from inplace_lint.project import Project
from inplace_lint.runtime.child import Children, Job, Outcome
from inplace_lint.runtime.proving import Prover

from .command import inplace_lint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes need fork")

MODEL = """\
import math

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        y += 1
        return y * x


class Attention(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads, self.qkv = heads, nn.Linear(width, 3 * width)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // self.heads)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c)


def unknown(batch):
    y = torch.sigmoid(batch.decode("rows").logits)
    y += 2
    return y


def seldom(x: torch.Tensor):
    y = torch.sigmoid(x)
    if x.dim() > 9:
        y += 3
    return y


def changes_the_kind(x: torch.Tensor, y: torch.Tensor):
    z = torch.exp(x).to(torch.complex64).real
    return z + y


a = torch.rand(3, requires_grad=True)
c = a ** 2
b = c.exp()
"""


def check(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return inplace_lint(folder, "check", *argv)


def test_what_is_proved_is_made_and_the_rest_is_left_and_said(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    done = check(tmp_path, "--fix", "--unsafe-fixes", "--prove", "--output-file", "report.txt", "model.py")
    assert done.returncode == 1, done.stderr
    text = (tmp_path / "model.py").read_text()
    assert "y = y + 1" in text
    assert "torch.nn.functional.scaled_dot_product_attention(" in text
    assert "y += 2" in text
    assert "y += 3" in text
    report = (tmp_path / "report.txt").read_text()
    assert "not proved: " in report
    assert "which the fix changes, did not run on these inputs" in report
    assert "Proved 2 fixes, left 2 unproved; see report.proofs.json." in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("Proving the fix of ")]
    assert said[0] == "Proving the fix of IPL101 at model.py:14:9"  # before it is run, as that takes long
    assert len(said) == 4
    proofs = {one["line"]: one for one in json.loads((tmp_path / "report.proofs.json").read_text())["proofs"]}
    gate, left = proofs["y += 1"], proofs["y += 2"]
    assert gate["applied"]
    assert gate["inputs"] == {"x": "f32[2,64,8]"}
    assert gate["proof"]["worst_error"] <= gate["proof"]["tolerance"] == 1e-10
    assert {trial["seed"] for trial in gate["proof"]["trials"]} == {0, 1}
    assert (left["applied"], left["proof"]) == (False, None)
    (attention,) = (one for one in proofs.values() if one["code"] == "IPL401")
    assert attention["peak"]["before"] > attention["peak"]["after"]
    names = {trial["name"] for trial in attention["proof"]["trials"]}
    assert {"as given", "another batch and length", "mask drops half", "mask drops a whole row"} <= names


def test_a_fault_at_module_level_is_proved_by_running_the_file(tmp_path: Path) -> None:
    source = """\
import torch

a = torch.rand(3, requires_grad=True)
y = torch.sigmoid(a)
y += 1
y.sum().backward()
"""
    (tmp_path / "program.py").write_text(source)
    done = check(tmp_path, "--diff", "--unsafe-fixes", "--prove", "program.py")
    assert "+y = y + 1" in done.stdout
    (proof,) = json.loads((tmp_path / "inplace-lint-proofs.json").read_text())["proofs"]
    assert proof["inputs_from"] == "file"
    # The original raises in backward; what counts is the gradient of the forward that it ran.
    assert proof["proof"]["worst_error"] <= 1e-10
    assert (tmp_path / "program.py").read_text() == source


class Answering:
    """Stands in for child processes: every comparison is proved, with this peak."""

    def __init__(self, peak: dict[str, Any] | None) -> None:
        self.peak = peak

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        answer = {
            "proved": True,
            "reason": "",
            "differs": False,
            "only_without_keys": False,
            "inputs": {},
            "source": "synthesis",
            "proof": None,
            "peak": self.peak,
            "torch": "2",
        }
        yield 0, Outcome(answer)


def peak(before: int, after: int, kept: int, left: int) -> dict[str, Any]:
    return {
        "before": before,
        "after": after,
        "kept": [kept, left],
        "size": 1024,
        "method": "predict",
        "device": "a100",
        "dtype": "bf16",
    }


@pytest.mark.parametrize(
    ("seen", "code", "is_made"),
    [
        (peak(2**20, 2**19, 2**18, 2**10), "IPL401", True),
        (peak(2**20, 2**20, 2**18, 2**18), "IPL401", True),
        (None, "IPL401", True),
        (peak(2**20, 2**21, 2**18, 2**18), "IPL401", False),
        (peak(2**20, 2**21, 2**18, 2**10), "IPL404", False),
        (peak(2**20, 2**20 + 2**16, 2**18, 2**10), "IPL401", True),  # kept for backward: less
        (peak(2**20, 2**20 + 2**16, 2**18, 2**18), "IPL401", False),
        (peak(2**20, 2**21, 2**18, 2**18), "IPL101", True),  # its purpose is another
    ],
)
def test_a_fix_for_memory_that_needs_more_is_not_made(
    tmp_path: Path, seen: dict[str, Any] | None, code: str, is_made: bool
) -> None:
    file = tmp_path / "model.py"
    file.write_text("x = 1\n")
    finding = Diagnostic(code, "a-name", "warning", "likely", "a message", Location(str(file), 1, 1, 1, 2))
    prover = Prover(cast(Children, Answering(seen)), {str(file): Project(str(tmp_path), ())})
    refused = prover.judge(finding, b"x = 1\n", b"x = 2\n", [])
    assert (refused is None) == is_made
    (proof,) = prover.proofs
    assert proof["applied"] == is_made
    if not is_made:
        assert refused is not None
        assert refused.startswith("not proved: it needs more memory: ")
        assert refused.endswith("in place of 1.0 MiB at S = 1024 (predicted)")


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["--prove", "."], "--prove is for --fix or --diff"),
        (["--fix", "--prove", "-"], "standard input cannot be run"),
    ],
)
def test_wrong_call_is_explained(tmp_path: Path, argv: list[str], text: str) -> None:
    done = check(tmp_path, *argv)
    assert done.returncode == 2
    assert text in done.stderr
