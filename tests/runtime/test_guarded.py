"""What user code does to its process stays within one trial, or one program: the findings are judged all the same."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_lint.runtime.guarded import adding_at_most, quiet
from inplace_lint.runtime.inputs import Call, build

from .command import inplace_lint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes need fork")
has_limit = pytest.mark.skipif(
    sys.platform != "linux" or torch.cuda.is_available(), reason="the limit on memory needs /proc, and no GPU"
)


def verdict(folder: Path, source: str) -> dict[str, Any]:
    (folder / "model.py").write_text(textwrap.dedent(source))
    done = inplace_lint(
        folder,
        "confirm",
        "--isolated",
        "--no-cache",
        "--timeout",
        "30",
        "--output-format",
        "json",
        "model.py",
    )
    (found,) = json.loads(done.stdout)
    found_verdict: dict[str, Any] = found["verdict"]
    return found_verdict


@has_limit
def test_an_allocation_beyond_the_limit_is_an_error_and_leaves_the_process_as_it_was() -> None:
    with adding_at_most(2**28):
        torch.zeros(2**20)
        with pytest.raises(RuntimeError, match="allocate memory"):
            torch.zeros(2**28)
        with pytest.raises(MemoryError):
            bytearray(2**30)
    assert torch.zeros(2**27).numel() == 2**27


@has_limit
def test_a_trial_that_asks_for_too_much_leaves_the_search_to_the_others(tmp_path: Path) -> None:
    def outer(a, b):  # type: ignore[no-untyped-def]
        if a.dim() == 3:
            torch.zeros(2**40)
        return a[:, None] * b

    call = build(outer)
    assert isinstance(call, Call)
    assert len(call.leading[0].dims) != 3


def test_what_the_body_prints_is_dropped_and_what_is_printed_later_is_not(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with quiet():
        os.write(1, b"here")
        os.write(2, b"and there")
    os.write(1, b"after it")
    assert capfd.readouterr() == ("after it", "")


NET = """\
import os
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        y = torch.tanh(self.proj(x))
        y += 1
        return y

"""
PROGRAMS = {
    "ends the process": "def train():\n    Net()(torch.rand(2, 6))\n    os._exit(0)\n",
    "is killed": "def train():\n    Net()(torch.rand(2, 6))\n    os.kill(os.getpid(), 9)\n",
    "asks for too much memory": "def train():\n    Net()(torch.rand(2, 6))\n    torch.zeros(2**40)\n",
    "changes the default dtype": "def train():\n    torch.set_default_dtype(torch.float64)\n    Net(None)\n",
    "puts another operation in place": "def train():\n    torch.tanh = None\n    Net()(torch.rand(2, 6))\n",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_that_does_harm_leaves_it_to_calls(tmp_path: Path, program: str) -> None:
    found = verdict(tmp_path, NET + PROGRAMS[program])
    assert found["status"] == "confirmed", found
    assert found["inputs"] == {"x": "f32[2,64,6]"}


def test_distributed_code_is_called_in_a_group_of_one(tmp_path: Path) -> None:
    source = """\
        import torch
        import torch.distributed as dist

        def mean(x: torch.Tensor):
            y = torch.exp(x)
            dist.all_reduce(total := y.detach().sum())
            y /= total
            return y
        """
    assert verdict(tmp_path, source)["status"] == "confirmed"


def test_a_program_that_prints_much_is_run_to_its_end(tmp_path: Path) -> None:
    source = NET + "def train():\n    print('x' * 2**24)\n    Net()(torch.rand(2, 6)).sum().backward()\n"
    found = verdict(tmp_path, source)
    assert found["reason"].startswith("PyTorch raises in backward when train() runs"), found
