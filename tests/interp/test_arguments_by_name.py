"""What torch is given counts whether it is given by position or by name, and defaults of all kinds: judged in torch."""

from __future__ import annotations

import inspect
from functools import reduce

import pytest

from inplace_lint.checks import check_source
from inplace_lint.interp.intrinsics import PARAMETERS
from inplace_lint.project import Project, Settings

torch = pytest.importorskip("torch")

HEAD = """import itertools

import torch
from torch import nn

ACTS = {"s": torch.sigmoid}
x = torch.ones(4, 4, requires_grad=True)
"""
#: programs whose backward raises, because a saved tensor was changed in place
BAD = {
    "a list of modules by name": (
        "net = nn.ModuleList(modules=[nn.Linear(4, 4)])\nfor one in net:\n    y = one(x).sigmoid()\n    y += 1\n"
        "y.sum().backward()\n"
    ),
    "a dict of modules by name": (
        "net = nn.ModuleDict(modules={'a': nn.Sigmoid()})\ny = net['a'](x)\ny += 1\ny.sum().backward()\n"
    ),
    "tensors by name": "y = x.sigmoid()\ny += 1\ntorch.autograd.backward(tensors=y.sum())\n",
    "a graph that is kept by position": (
        "y = x.sigmoid()\nloss = y.sum()\ntorch.autograd.backward(loss, None, True)\ny += 1\nloss.backward()\n"
    ),
    "a graph that is kept by name": (
        "y = x.sigmoid()\nloss = y.sum()\ntorch.autograd.backward(loss, retain_graph=True)\ny += 1\nloss.backward()\n"
    ),
    "a graph that grad keeps by position": (
        "y = x.sigmoid()\nloss = y.sum()\ntorch.autograd.grad(loss, x, None, True)\ny += 1\nloss.backward()\n"
    ),
    "a graph that a tensor's backward creates by position": (
        "y = x.sigmoid()\nloss = y.sum()\nloss.backward(None, None, True)\ny += 1\nloss.backward()\n"
    ),
    "what split returns is a tuple": (
        "parts = x.split(2)\nif isinstance(parts, (list, tuple)):\n    y = x.sigmoid()\n    y += 1\n"
        "    y.sum().backward()\n"
    ),
    "everything is an object": (
        "if isinstance([1], object):\n    y = x.sigmoid()\n    y += 1\n    y.sum().backward()\n"
    ),
    "a default out of a table": (
        "def act(x, f=ACTS['s']):\n    y = f(x)\n    y += 1\n    return y\n\n\nact(x).sum().backward()\n"
    ),
    "an attribute of one of two objects": (
        "class Box:\n    pass\n\n\na, b = Box(), Box()\n(a if x.sum() > 0 else b).y = y = x.sigmoid()\ny += 1\n"
        "y.sum().backward()\n"
    ),
}
#: programs that run
GOOD = {
    "the graph is gone": "y = x.sigmoid()\nloss = y.sum()\ntorch.autograd.backward(loss, None, False)\ny += 1\n",
    "the graph is gone after grad": (
        "y = x.sigmoid()\nloss = y.sum()\ntorch.autograd.grad(loss, x, None, False)\ny += 1\n"
    ),
    "no modules by name": (
        "net = nn.ModuleList(modules=None)\ny = x.exp()\nfor one in net:\n    y += one(y)\ny.sum().backward()\n"
    ),
    "what is deleted from a dict": (
        "kept = {'a': x.exp()}\ndel kept['a']\ny = x.exp()\nkept['a'] = y * 1\nkept['a'].add_(1)\ny.sum().backward()\n"
    ),
}


def codes(text: str) -> set[str]:
    found = check_source("program.py", text.encode(), Settings(), Project())
    return {one.code for one in found if one.severity in ("error", "warning")}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_hazard_is_found(body: str) -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(compile(HEAD + body, "program.py", "exec"), {})
    assert codes(HEAD + body) & {"IPL101", "IPL102"}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD.keys())
def test_program_that_runs_has_no_finding(body: str) -> None:
    exec(compile(HEAD + body, "program.py", "exec"), {})
    assert not codes(HEAD + body)


@pytest.mark.parametrize("bounds", ["0, 2, 0", "-1", "0, -2", "1, 2, 3, 4"])
def test_bounds_that_islice_refuses_are_no_fault_of_the_tool(bounds: str) -> None:
    text = HEAD + f"for one in itertools.islice([1, 2, 3], {bounds}):\n    y = x * one\n    y += 1\n"
    assert "IPL002" not in codes(text)


@pytest.mark.parametrize("dotted", PARAMETERS)
def test_parameters_are_those_of_torch(dotted: str) -> None:
    function = reduce(getattr, dotted.split(".")[1:], torch)
    names = [
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    assert tuple(names[: len(PARAMETERS[dotted])]) == PARAMETERS[dotted]


@pytest.mark.parametrize(("copy", "shares"), [("True", False), ("False", True)])
def test_astype_shares_memory_only_where_it_may(copy: str, shares: bool) -> None:
    """A new array is written without harm; one that may be the tensor's own memory is what autograd has saved."""
    text = HEAD + (
        f"w = torch.ones(4)\ny = x * w\na = w.numpy().astype('float32', copy={copy})\na[0] = 5\ny.sum().backward()\n"
    )
    scope: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), scope)
    gradient = scope["x"].grad  # type: ignore[attr-defined]
    assert bool((gradient == 1).all()) is not shares
    found = check_source("program.py", text.encode(), Settings(), Project())
    assert any(one.code == "IPL202" for one in found) is shares
