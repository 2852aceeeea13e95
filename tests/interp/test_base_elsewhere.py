"""A network whose base class another package has: what it inherits has weights, which its calls save and steps write.

torch runs each program with a base class that has the layers; the tool sees an import of nothing that it can read.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

import inplace_lint

torch = pytest.importorskip("torch")

#: Ways to derive a network from `Base`, whose layers are `l1` and `l2`.
_NETWORKS = {
    "all inherited": "class Net(Base):\n    pass\n",
    "a method more": "class Net(Base):\n    def loss(self, x):\n        return self(x).mean()\n",
    "an init of its own": (
        "class Net(Base):\n    def __init__(self, size=4):\n        super().__init__()\n        self.size = size\n"
    ),
    "a forward of its own": (
        "class Net(Base):\n    def forward(self, x):\n        return self.l2(torch.tanh(self.l1(x)))\n"
    ),
    "a forward around that of its base": (
        "class Net(Base):\n    def forward(self, x):\n        return torch.tanh(super().forward(x))\n"
    ),
    "a layer of its own": (
        "class Net(Base):\n    def __init__(self):\n        super().__init__()\n        self.l3 = nn.Linear(4, 4)\n\n"
        "    def forward(self, x):\n        return self.l3(super().forward(x))\n"
    ),
    "a class between": "class Inner(Base):\n    pass\n\n\nclass Net(Inner):\n    pass\n",
    "within another": (
        "class Part(Base):\n    pass\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.part = Part()\n\n    def forward(self, x):\n        return self.part(x)\n"
    ),
}

_TRAINING = {
    "a step between two backwards of one graph": """
y = a(x)
one, two = y.pow(2).mean(), y.abs().mean()
one.backward(retain_graph=True)
oa.step()
two.backward()
""",
    "both backwards before the step": """
y = a(x)
one, two = y.pow(2).mean(), y.abs().mean()
one.backward(retain_graph=True)
two.backward()
oa.step()
""",
    "a generator's loss from before the critic's step": """
fake = a(x)
g_loss = b(fake).mean()
d_loss = b(fake.detach()).mean()
ob.zero_grad()
d_loss.backward()
ob.step()
oa.zero_grad()
g_loss.backward()
oa.step()
""",
    "a generator's loss from after the critic's step": """
fake = a(x)
d_loss = b(fake.detach()).mean()
ob.zero_grad()
d_loss.backward()
ob.step()
g_loss = b(fake).mean()
oa.zero_grad()
g_loss.backward()
oa.step()
""",
    "steps of two optimizers after both backwards": """
y = a(x)
z = b(y.detach())
z.pow(2).mean().backward()
ob.step()
y.pow(2).mean().backward()
oa.step()
""",
    "a forward under no_grad": """
with torch.no_grad():
    y = a(x)
loss = b(y).mean()
oa.step()
loss.backward()
ob.step()
""",
}

_PROGRAM = """import torch
from torch import nn
from elsewhere.models import Base


{network}

a, b = Net(), Net()
oa = torch.optim.SGD(a.parameters(), lr=0.1)
ob = torch.optim.SGD(b.parameters(), lr=0.1)
for _ in range(2):
    x = torch.randn(2, 4)
{training}
"""


class _Base(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.l1 = torch.nn.Linear(4, 4)
        self.l2 = torch.nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return self.l2(torch.tanh(self.l1(x)))


@pytest.mark.parametrize("training", _TRAINING)
@pytest.mark.parametrize("network", _NETWORKS)
def test_what_torch_refuses_is_told_and_nothing_else(
    network: str, training: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = "\n".join(f"    {line}" for line in _TRAINING[training].strip().splitlines())
    program = _PROGRAM.format(network=_NETWORKS[network], training=steps)
    package, models = types.ModuleType("elsewhere"), types.ModuleType("elsewhere.models")
    models.Base = _Base  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "elsewhere", package)
    monkeypatch.setitem(sys.modules, "elsewhere.models", models)
    refused = False
    try:
        exec(program, {})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        refused = True
    found = [one.code for one in inplace_lint.check(program).diagnostics if one.severity != "note"]
    assert found == (["IPL106"] if refused else [])


def test_an_optimizer_of_another_package_keeps_its_step() -> None:
    program = """import torch
from elsewhere import Optimizer


class Mine(Optimizer):
    def clip(self):
        return 1


def train(net, x):
    opt = Mine(net.parameters())
    y = net(x)
    opt.zero_grad()
    y.mean().backward(retain_graph=True)
    opt.step()
    y.sum().backward()
"""
    found = inplace_lint.check(program).diagnostics
    assert [(one.code, one.location.row) for one in found if one.severity != "note"] == [("IPL106", 15)]


def test_a_record_of_another_package_keeps_the_fields_that_it_is_given() -> None:
    program = """import torch
from elsewhere import Model


class Config(Model):
    inplace: bool = True


def f(x):
    config = Config(inplace={})
    y = torch.sigmoid(x)
    if config.inplace:
        y += 1
    y.sum().backward()
"""
    for flag, expected in ((True, ["IPL101"]), (False, [])):
        assert [one.code for one in inplace_lint.check(program.format(flag)).diagnostics] == expected


@pytest.mark.parametrize(
    "added",
    [
        "self.own = Own()",
        "super().add_module('own', Own())\n\n    def forward(self, x):\n        return self.own(x)",
    ],
)
def test_a_layer_of_its_own_is_among_the_parameters(added: str) -> None:
    program = """import torch
from torch import nn
from elsewhere.models import Base


class Net(Base):
    def __init__(self):
        super().__init__()
        {}

    def embed(self, x):
        return self.own(x)


class Own(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 4), nn.Linear(4, 4))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
y = net.embed(torch.randn(2, 4))
one, two = y.mean(), y.pow(2).mean()
one.backward(retain_graph=True)
opt.step()
two.backward()
"""
    found = [one for one in inplace_lint.check(program.format(added)).diagnostics if one.severity != "note"]
    assert [(one.code, one.confidence) for one in found] == [("IPL106", "certain")]
