"""A write through `.data` that puts back what a tensor held spoils nothing that was saved before; torch says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inplace_lint import check

if TYPE_CHECKING:
    import torch
else:
    torch = pytest.importorskip("torch")

HEAD = """
import contextlib

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
w = torch.randn(4, requires_grad=True)
x = torch.randn(2, 4)


@contextlib.contextmanager
def swapped(model):
    backup = {n: p.detach().clone() for n, p in model.named_parameters()}
    for n, p in model.named_parameters():
        p.data.copy_(torch.full_like(p, 0.5))
    try:
        yield model
    finally:
        for n, p in model.named_parameters():
            p.data.copy_(backup[n])


"""
#: What is differentiated after the lines before it; and whether its gradient is wrong.
PROGRAMS = {
    "one tensor": (
        "y = (w * w).sum()\nbackup = w.detach().clone()\nw.data.copy_(torch.ones(4))\nw.data.copy_(backup)\n",
        False,
    ),
    "not put back": ("y = (w * w).sum()\nbackup = w.detach().clone()\nw.data.copy_(torch.ones(4))\n", True),
    "copied too late": (
        "y = (w * w).sum()\nw.data.copy_(torch.ones(4))\nbackup = w.detach().clone()\nw.data.copy_(backup)\n",
        True,
    ),
    "changed in between": (
        "y = (w * w).sum()\nbackup = w.detach().clone()\nw.data.copy_(torch.ones(4))\n"
        "backup.mul_(2)\nw.data.copy_(backup)\n",
        True,
    ),
    "a part alone": (
        "y = (w * w).sum()\nbackup = w.detach().clone()\nw.data.copy_(torch.ones(4))\n"
        "w.data[:1].copy_(backup[:1])\n",
        True,
    ),
    "a part for the whole": (
        "y = (w * w).sum()\nbackup = w.detach()[:1].clone()\nw.data.copy_(torch.ones(4))\nw.data.copy_(backup)\n",
        True,
    ),
    "of another tensor": (
        "y = (w * w).sum()\nbackup = torch.ones(4).clone()\nw.data.copy_(torch.zeros(4))\nw.data.copy_(backup)\n",
        True,
    ),
    "a network": ("y = net(x).sum()\nwith swapped(net), torch.no_grad():\n    net(x)\n", False),
    "a network on a stack": (
        "y = net(x).sum()\nwith contextlib.ExitStack() as stack, torch.no_grad():\n"
        "    stack.enter_context(swapped(net))\n    net(x)\n",
        False,
    ),
}
#: What is saved in between is spoilt by the write that puts the values back.
BETWEEN = {
    "one tensor": (
        "backup = w.detach().clone()\nw.data.copy_(torch.ones(4))\ny = (w * w).sum()\nw.data.copy_(backup)\n"
    ),
    "a network": "with swapped(net):\n    y = net(x).sum()\n",
}
#: Here the backward stands among the lines.
INSIDE = {
    "in the block": "y = net(x).sum()\nwith swapped(net):\n    y.backward()\n",
    "in the block of a stack": (
        "y = net(x).sum()\nwith contextlib.ExitStack() as stack:\n    stack.enter_context(swapped(net))\n"
        "    y.backward()\n"
    ),
    "before and after": (
        "y = net(x).sum()\nwith swapped(net):\n    y.backward(retain_graph=True)\ny.backward()\n"
    ),
}


def _gradient(lines: str, right: bool) -> torch.Tensor:
    """The gradients that a program computes; if `right`, those without its writes."""
    text = HEAD + lines
    if right:
        text = "\n".join(line for line in text.splitlines() if ".data.copy_" not in line)
        text = text.replace("    for n, p in model.named_parameters():\n    try", "    try")
        text = text.replace("        for n, p in model.named_parameters():", "        pass")
    scope: dict[str, object] = {}
    exec(text, scope)
    w, net = scope["w"], scope["net"]
    assert isinstance(w, torch.Tensor) and isinstance(net, torch.nn.Module)
    return torch.cat([p.grad.flatten() for p in (w, *net.parameters()) if p.grad is not None])


def _told(lines: str) -> bool:
    return any(one.code == "IPL201" and one.severity == "error" for one in check(HEAD + lines).diagnostics)


@pytest.mark.parametrize("lines, wrong", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_put_back_before_backward(lines: str, wrong: bool) -> None:
    program = lines + "y.backward()\n"
    assert torch.equal(_gradient(program, False), _gradient(program, True)) is not wrong
    assert _told(program) is wrong


@pytest.mark.parametrize("lines", BETWEEN.values(), ids=BETWEEN)
def test_what_is_saved_before_it_is_put_back(lines: str) -> None:
    program = lines + "y.backward()\n"
    # Computed and differentiated with the other values, without the write that follows.
    right = program.replace("w.data.copy_(backup)\n", "").replace(
        "y = net(x).sum()\ny", "y = net(x).sum()\n    y"
    )
    assert not torch.equal(_gradient(program, False), _gradient(right, False))
    assert _told(program)


@pytest.mark.parametrize("lines", INSIDE.values(), ids=INSIDE)
def test_what_is_put_back_after_backward(lines: str) -> None:
    assert not torch.equal(_gradient(lines, False), _gradient(lines, True))
    assert _told(lines)
