"""`backward(inputs=…)` runs only the nodes that lead to its inputs: a step in between is judged in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import inplace_lint

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn


def net():
    return nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))


def program():
    first, second, head = net(), net(), net()
    steps = torch.optim.SGD(first.parameters(), 0.1)
    more = torch.optim.SGD(second.parameters(), 0.1)
    a, b = first(torch.randn(2, 3)), second(torch.randn(2, 3))
    one, other = (a - b).pow(2).sum(), (head(b) - a).pow(2).sum()
    {body}
"""
#: What comes after the two losses, and whether torch raises.
WAYS = [
    (
        "one.backward(inputs=list(first.parameters()), retain_graph=True); steps.step()"
        "; other.backward(inputs=list(second.parameters()))",
        False,
    ),
    (
        "one.backward(retain_graph=True); steps.step(); other.backward(None, None, False, list(head.parameters()))",
        False,
    ),
    ("one.backward(retain_graph=True); steps.step(); other.backward(inputs=list(first.parameters()))", True),
    ("one.backward(retain_graph=True); steps.step(); other.backward(inputs=None)", True),
    ("one.backward(retain_graph=True); steps.step(); other.backward()", True),
    (
        "one.backward(inputs=list(second.parameters()), retain_graph=True); more.step()"
        "; torch.autograd.backward(other, inputs=[*second.parameters()])",
        True,
    ),
    (
        "one.backward(inputs=list(second.parameters()), retain_graph=True); more.step()"
        "; torch.autograd.backward(other, inputs=[*head.parameters(), *first.parameters()])",
        False,
    ),
    ("one.backward(retain_graph=True); steps.step(); torch.autograd.grad((a * a).sum(), a)", False),
    ("one.backward(retain_graph=True); steps.step(); torch.autograd.grad(head(b * a).sum(), [a, b])", False),
    (
        "one.backward(retain_graph=True); more.step(); torch.autograd.grad(other, [a, *second.parameters()])",
        True,
    ),
    ("one.backward(retain_graph=True); more.step(); torch.autograd.grad(other, inputs=a)", False),
    (
        "one.backward(retain_graph=True); steps.step(); torch.autograd.grad(other, list(first.parameters()))",
        True,
    ),
    (
        "one.backward(retain_graph=True); steps.step(); torch.autograd.grad(other, list(head.parameters()))",
        False,
    ),
    ("c = first(a); one.backward(retain_graph=True); steps.step(); torch.autograd.grad(c.sum(), a)", True),
    (
        "c = first(a); one.backward(retain_graph=True); steps.step(); c.backward(torch.ones(2, 3), inputs=[a])",
        True,
    ),
    ("one.backward(retain_graph=True); steps.step(); a.backward(torch.ones(2, 3), inputs=[a])", True),
]


@pytest.mark.parametrize(("body", "raises"), WAYS)
def test_backward_to_some_inputs(body: str, raises: bool) -> None:
    source = PROGRAM.format(body=body)
    there: dict[str, Callable[[], None]] = {}
    exec(source, there)
    if raises:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            there["program"]()
    else:
        there["program"]()
    found = [one.code for one in inplace_lint.check(source, filename="a.py").diagnostics]
    assert found == (["IPL106"] if raises else [])
