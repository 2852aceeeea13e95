"""The elements of `*args` are tensors of their own, and the dicts of a module are dicts, as torch says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import inplace_lint
from inplace_lint.torchmodel.spelling import MODULE_DICTS

from .in_torch import refuses, told

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

torch = pytest.importorskip("torch")

READ = """\
import torch

layer = torch.nn.Linear(3, 3)


def f({parameters}):
    {read}
    y = layer(a)
    {written}.mul_(2)
    return y.sum()
"""
#: How a function takes any number of tensors, reads two of them, and is called.
READS = (
    ("*xs", "a, b = xs[0], xs[1]", "f(t, u)"),
    ("*xs", "a, b = xs", "f(t, u)"),
    ("*xs", "a, b = xs[0], xs[-1]", "f(t, u)"),
    ("*xs", "a, *rest = xs; b = rest[0]", "f(t, u)"),
    ("*xs", "it = iter(xs); a = next(it); b = next(it)", "f(t, u)"),
    ("*xs", "a = xs[0]; b = xs[1:][0]", "f(t, u)"),
    ("**xs", "a, b = xs['a'], xs['b']", "f(a=t, b=u)"),
    ("**xs", "a, b = xs.pop('a'), xs.pop('b')", "f(a=t, b=u)"),
    ("xs", "a, b = xs[0], xs[1]", "f([t, u])"),
)


@pytest.mark.parametrize("written", ["a", "b"])
@pytest.mark.parametrize(("parameters", "read", "call"), READS)
def test_tensors_given_in_any_number_are_not_one(
    tmp_path: Path, parameters: str, read: str, call: str, written: str
) -> None:
    source = READ.format(parameters=parameters, read=read, written=written)
    program = tmp_path / "a.py"
    program.write_text(f"{source}\n\nt, u = torch.ones(2, 3), torch.ones(2, 3)\n{call}.backward()\n")
    assert bool(told(source)) == refuses(program, tmp_path)


def test_a_module_keeps_its_attributes_in_dicts() -> None:
    held = vars(torch.nn.BatchNorm1d(3))
    assert {name for name in held if isinstance(held[name], dict) and "hooks" not in name} == MODULE_DICTS


STEP = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("shift", torch.zeros(3))

    def forward(self, x):
        return (x * self.weight + self.shift).sum()

    def renew(self):
        for key in self._parameters:
            p = self._parameters[key]
            {written}


def renew({annotated}):
    for key in model._parameters:
        p = model._parameters[key]
        if p is not None and p.grad is not None:
            model._parameters[key] = p - 0.1 * p.grad
    for key in model._buffers:
        model._buffers[key] = model._buffers[key] * 2
    for key in model._modules:
        model._modules[key] = renew(model._modules[key])
    return model


net = Net()
net(torch.ones(3)).backward(create_graph=True)
renew(net)
net.renew()
net(torch.ones(3)).backward()
"""


@pytest.mark.parametrize("annotated", ["model", "model: nn.Module"])
@pytest.mark.parametrize("written", ["self._parameters[key] = p * 2", "p = p * 2"])
def test_an_entry_of_such_a_dict_is_bound_anew(tmp_path: Path, annotated: str, written: str) -> None:
    program = tmp_path / "a.py"
    program.write_text(STEP.format(annotated=annotated, written=written))
    assert not refuses(program, tmp_path)
    assert told(program.read_text()) == []


SCALE = """\
import torch


@torch.no_grad()
def scale(model):
    for key in model._parameters:
        model._parameters[key].mul_(2)
"""


def test_a_write_to_an_entry_of_such_a_dict_is_not_lost() -> None:
    names: dict[str, Callable[[torch.nn.Module], None]] = {}
    exec(compile(SCALE, "a.py", "exec"), names)
    layer = torch.nn.Linear(3, 3)
    before = layer.weight.detach().clone()
    names["scale"](layer)
    assert torch.equal(layer.weight, before * 2)
    assert not inplace_lint.check(SCALE, "a.py", {"min-confidence": "possible"}).diagnostics
