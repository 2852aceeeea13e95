"""The ways by which a module gets a forward that its class statement does not show; torch is the judge."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

PROGRAM = """import functools
import types
from contextlib import contextmanager

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.act = nn.Sigmoid()

    def forward(self, x):
        return self.act(self.lin(x))


def other(self, x):
    y = self.act(self.lin(x))
    {effect}
    return y


def wrapped(old):
    def forward(*args, **kwargs):
        y = old(*args, **kwargs)
        {effect}
        return y

    return forward


def make(base):
    class Made(base):
        def forward(self, x):
            y = super().forward(x)
            {effect}
            return y

    return Made


class Static(nn.Module):
    act = staticmethod(torch.sigmoid)

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return other(self, x)


@contextmanager
def changed(net):
    old = net.forward
    net.forward = wrapped(old)
    yield net
    net.forward = old


"""
WAYS = {
    "of the class": "Net.forward = other\nnet = Net()",
    "setattr": "setattr(Net, 'forward', other)\nnet = Net()",
    "MethodType": "net = Net()\nnet.forward = types.MethodType(other, net)",
    "__get__": "net = Net()\nnet.forward = other.__get__(net)",
    "__get__ with class": "net = Net()\nnet.forward = other.__get__(net, Net)",
    "unbound": "net = Net()\nnet.forward = functools.partial(other.__get__(None, Net), net)",
    "partial": "net = Net()\nnet.forward = functools.partial(other, net)",
    "lambda": "net = Net()\nnet.forward = lambda x: other(net, x)",
    "wrapped": "net = Net()\nnet.forward = wrapped(net.forward)",
    "class of a function": "net = make(Net)()",
    "staticmethod": "net = Static()",
}


def raises(text: str) -> bool:
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return True
    return False


@pytest.mark.parametrize("effect", ["y.mul_(2)", "y = y * 2"])
@pytest.mark.parametrize("place", ["top level", "function"])
@pytest.mark.parametrize("way", WAYS)
def test_the_forward_that_is_set_is_the_one_that_runs(
    tmp_path: Path, way: str, place: str, effect: str
) -> None:
    made = WAYS[way]
    if place == "function":
        made = f"def build():\n{indent(made, '    ')}\n    return net\n\n\nnet = build()"
    text = PROGRAM.replace("{effect}", effect) + made + "\nnet(torch.randn(2, 4)).sum().backward()\n"
    bad = raises(text)
    assert bad == ("mul_" in effect)
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == bad


@pytest.mark.parametrize("effect", ["y.mul_(2)", "y = y * 2"])
def test_a_forward_is_wrapped_within_a_context(tmp_path: Path, effect: str) -> None:
    use = "net = Net()\nwith changed(net) as inner:\n    loss = inner(torch.randn(2, 4)).sum()\nloss.backward()\n"
    text = PROGRAM.replace("{effect}", effect) + use
    assert raises(text) == ("mul_" in effect)
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == ("mul_" in effect)


def test_the_forward_is_the_class_s_again_once_it_is_put_back(tmp_path: Path) -> None:
    """Only the call within the context is spoiled; nothing is told of the one after it."""
    use = "net = Net()\nwith changed(net) as inner:\n    pass\nnet(torch.randn(2, 4)).sum().backward()\n"
    text = PROGRAM.replace("{effect}", "y.mul_(2)") + use
    assert not raises(text)
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert not [one for one in found if one.location.row > text.count("\n") - 4]
