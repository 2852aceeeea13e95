"""A parameter that is frozen while it is written is no leaf that requires grad, however it was reached."""

from __future__ import annotations

from itertools import product

import pytest

from .in_torch import told

torch = pytest.importorskip("torch")

PROGRAM = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))


def f(model, rows):
{reached}


f(net, [0])
"""
#: How a parameter is reached, with the place for what is done with it.
REACHED = (
    "    for p in net.parameters():\n{body}",
    "    for name, p in net.named_parameters():\n{body}",
    "    for p in model.parameters():\n{body}",
    "    for p in list(net.parameters()):\n{body}",
    "    for p in [*net.parameters()][:2]:\n{body}",
    "    for p in (net[0].weight, net[1].bias):\n{body}",
    "    for layer in net:\n        p = layer.weight\n{body}",
    "    for layer in model.children():\n        for p in layer.parameters():\n    {inner}",
    "    p = next(net.parameters())\n    if True:\n{body}",
    "    p = list(net.parameters())[0]\n    if True:\n{body}",
)
#: What is done with it.
BODIES = (
    "p.requires_grad = False; p[rows] = 0",
    "p.requires_grad_(False); p[rows] = 0",
    "p.requires_grad = False; p[rows] = 0; p.requires_grad = True",
    "before = p.requires_grad; p.requires_grad = False; p[rows] = 0; p.requires_grad = before",
    "p.requires_grad_(False); p[rows] = 0; p.requires_grad_(True)",
    "p[rows] = 0",
    "p.requires_grad = True; p[rows] = 0",
)


@pytest.mark.parametrize(("reached", "body"), product(REACHED, BODIES))
def test_a_write_of_a_parameter(reached: str, body: str) -> None:
    source = PROGRAM.format(reached=reached.format(body=f"        {body}", inner=f"        {body}"))
    assert ("IPL103" in told(source)) is _is_refused(source), source


def _is_refused(source: str) -> bool:
    try:
        exec(compile(source, "a.py", "exec"), {})
    except RuntimeError as error:
        assert "a leaf Variable that requires grad" in str(error)
        return True
    return False
