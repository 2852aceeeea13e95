"""Attention as people write it, in `real/*.txt`: each form builds a module and its inputs, and runs in torch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from inplace_lint.checks import check_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Project, Settings

from .compare import applied

FOLDER = Path(__file__).with_name("real")
HEAD = """\
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange, repeat
from torch import einsum


"""


def has_einops() -> bool:
    return find_spec("einops") is not None


def forms(name: str) -> list[tuple[str, str]]:
    """(name, program) of each form of a file."""
    parts = re.split(r"^=== (\w+)\n", (FOLDER / f"{name}.txt").read_text(), flags=re.MULTILINE)
    # What is compared is compared in float64.
    wide = (
        body.replace(".float()", ".double()").replace("torch.float32", "torch.float64")
        for body in parts[2::2]
    )
    return [(form, HEAD + body) for form, body in zip(parts[1::2], wide)]


def findings(program: str) -> list[Diagnostic]:
    """The findings of IPL401."""
    some = check_source("form.py", program.encode(), Settings(), Project())
    assert not [one for one in some if one.code == "IPL002"]
    return [one for one in some if one.code == "IPL401"]


def fixed(program: str, finding: Diagnostic) -> str:
    assert finding.plan is not None
    return applied(program, finding.plan.edits(program))


class _Kernels(TorchDispatchMode):
    """The operations that run."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(str(func))
        return func(*args, **(kwargs or {}))


@dataclass
class Run:
    """What a run gave: outputs and gradients, and whether the fused kernel of the CPU ran."""

    values: list[torch.Tensor | None]
    fused: bool


def run(program: str) -> Run:
    """One forward and backward of what `build` makes, the same weights and numbers each time."""
    space: dict[str, Any] = {}
    exec(compile(program, "form", "exec"), space)
    torch.manual_seed(1)
    function, inputs = space["build"]()
    leaves = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    given = []
    for one in inputs:
        if isinstance(one, torch.Tensor) and one.is_floating_point() and not _is_mask(one):
            one = one.clone().requires_grad_()
            leaves.append(one)
        given.append(one)
    torch.manual_seed(2)
    with _Kernels() as kernels:
        made = function(*given)
    outputs = [one for one in (made if isinstance(made, tuple) else (made,)) if one.is_floating_point()]
    weights = [torch.linspace(-1, 1, one.numel(), dtype=one.dtype).view(one.shape) for one in outputs]
    torch.stack([(one * weight).sum() for one, weight in zip(outputs, weights)]).sum().backward()
    return Run(
        [*outputs, *(one.grad for one in leaves)], any("flash_attention" in name for name in kernels.names)
    )


def _is_mask(tensor: torch.Tensor) -> bool:
    """Whether an input of a form is a mask: a mask that wants a gradient keeps the kernel of the CPU from running."""
    return tensor.dim() > 2 and (tensor.shape[-1] == tensor.shape[-2] or tensor.shape[-2] == 1)


def are_same(one: Run, other: Run) -> bool:
    return len(one.values) == len(other.values) and all(
        (a is None) == (b is None)
        and (a is None or b is None or (a.shape == b.shape and torch.allclose(a, b, rtol=1e-9, atol=1e-9)))
        for a, b in zip(one.values, other.values)
    )
