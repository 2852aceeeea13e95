"""Memory of attention is judged at lengths that tell, also where the stated inputs are short; else it is not judged."""

from __future__ import annotations

import json
import os
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from inplace_lint.runtime import judged
from inplace_lint.runtime.inputs import Call, build
from inplace_lint.runtime.inputs.sizes import LONG, lengthened
from inplace_lint.runtime.inputs.values import Spec
from inplace_lint.runtime.proof_inputs import may_drop_all

from .command import inplace_lint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes need fork")

ATTENTION = """\
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Options:
    width: int = 16
    longest: int = 32

{above}class Causal(nn.Module):
    def __init__(self, options: Options):
        super().__init__()
        self.qkv = nn.Linear(options.width, 3 * options.width)
        lower = torch.ones(options.longest, options.longest).tril()
        self.register_buffer("lower", lower, persistent=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        length = x.shape[1]
        scores = q @ k.transpose(-2, -1) / 4
        scores = scores.masked_fill(self.lower[:length, :length] == 0, float("-inf"))
        return scores.softmax(-1) @ v
"""


def verdict(folder: Path, *argv: str) -> dict[str, Any]:
    done = inplace_lint(
        folder, "confirm", "--isolated", "--no-cache", "--output-format", "json", *argv, "model.py"
    )
    (found,) = json.loads(done.stdout)
    assert found["code"] == "IPL401"
    judged_as: dict[str, Any] = found["verdict"]
    return judged_as


def test_short_inputs_of_a_comment_are_made_longer(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ATTENTION.format(above="# inplace-lint: inputs x=f32[2,16,16]\n"))
    found = verdict(tmp_path)
    assert found["status"] == "confirmed", found
    assert found["peak"]["size"] == 1024


def test_so_are_those_of_a_capture(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ATTENTION.format(above=""))
    program = "import torch\nfrom model import Causal, Options\nCausal(Options())(torch.rand(2, 16, 16))\n"
    (tmp_path / "run.py").write_text(program)
    assert inplace_lint(tmp_path, "capture", "run.py").returncode == 0
    found = verdict(tmp_path)
    assert (found["status"], found["inputs"]) == ("confirmed", {"x": "f32[2,16,16]"}), found


@pytest.mark.parametrize("width", ["options.width", "16"])
def test_where_no_longer_sequence_runs_memory_refutes_nothing(tmp_path: Path, width: str) -> None:
    above = "# inplace-lint: inputs x=f32[2,32,16]\n"
    source = ATTENTION.format(above=above).replace("[:length, :length]", "")
    # With a width that can vary there is a size of 1024, and still no sequence of more than 32.
    source = source.replace("options.longest, options.longest", "32, 32").replace("options.width", width)
    (tmp_path / "model.py").write_text(source)
    found = verdict(tmp_path)
    assert found["status"] == "inconclusive", found
    assert found["reason"].startswith("no longer sequence could be run; it saves nothing: ")


@pytest.mark.parametrize(
    ("size", "status"), [(None, "inconclusive"), (64, "inconclusive"), (1024, "refuted")]
)
def test_a_fix_that_saves_nothing_refutes_at_a_length_that_tells(size: int | None, status: str) -> None:
    peak = {
        "before": 2**20,
        "after": 2**21,
        "kept": [1, 1],
        "size": size,
        "method": "cpu",
        "device": None,
        "dtype": "f32",
    }
    proof = {"trials": [{"error": 0.0}], "worst_error": 0.0}
    answer = {
        "proved": True, "only_without_keys": False, "differs": False, "reason": "", "inputs": {},
        "proof": proof, "peak": peak, "unmeasured": "", "is_length": True,
    }  # fmt: skip
    found = judged.rewrite(answer)
    assert found["status"] == status
    assert "2.0 MiB in place of 1.0 MiB" in found["reason"]


@pytest.mark.parametrize(("size", "status"), [(32, "inconclusive"), (1024, "refuted")])
def test_so_do_lines_that_do_not_grow(size: int, status: str) -> None:
    peak = {
        "before": 2**20,
        "after": None,
        "kept": [1, 1],
        "size": size,
        "method": "cpu",
        "device": None,
        "dtype": "f32",
    }
    answer = {
        "reason": "",
        "inputs": {},
        "peak": peak,
        "size": size,
        "bytes": 2**10,
        "exponent": 1.0,
        "is_length": True,
    }
    assert judged.growth(answer)["status"] == status


def test_why_a_peak_could_not_be_measured_is_told(tmp_path: Path) -> None:
    source = """\
        import torch

        def attention(q, k, v):
            weights = (q @ k.transpose(-2, -1)).softmax(-1)
            out = weights @ v
            weights.mul_(2)
            return out
        """
    (tmp_path / "model.py").write_text(textwrap.dedent(source))
    done = inplace_lint(
        tmp_path, "confirm", "--isolated", "--no-cache", "--output-format", "json", "model.py"
    )
    (found,) = [one for one in json.loads(done.stdout) if one["code"] == "IPL401"]
    assert "could not be measured: RuntimeError: one of the variables" in found["verdict"]["reason"]


@dataclass
class Bounds:
    longest: int = 20


class Bounded(nn.Module):
    """As long as wide, and no longer than its table."""

    # inplace-lint: inputs x=f32[2,12,12]
    def __init__(self, bounds: Bounds) -> None:
        super().__init__()
        self.layer = nn.Linear(12, 12)
        self.table = nn.Parameter(torch.ones(bounds.longest, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) * self.table[: x.shape[1]]


def test_a_bound_in_an_object_follows_the_length() -> None:
    call = build(Bounded)
    assert isinstance(call, Call)
    longer = lengthened(call)
    assert longer.template == {"x": "f32[2,S,12]"}
    assert longer.description == {"x": "f32[2,12,12]"}
    args, kwargs = longer.at(S=LONG).inputs()
    assert longer.at(S=LONG).function()(*args, **kwargs).shape == (2, LONG, 12)


@pytest.mark.parametrize(
    ("dims", "name", "may"),
    [
        ((2, 8), "mask drops a whole row", True),
        ((2, 8), "mask drops none", True),
        ((2, 8), "mask drops half", False),
        ((2, 1), "S = 1", True),
        ((2, 8), "as given", False),
    ],
)
def test_a_mask_may_drop_all_keys(dims: tuple[int, ...], name: str, may: bool) -> None:
    call = Call(lambda mask: mask, "given", leading=(Spec("bool", dims),))
    assert may_drop_all(call, name) == may
