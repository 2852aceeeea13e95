"""Networks that another package makes: however one is built, moved and called, a step writes what its calls saved.

torch runs each program with a network in the place of the import, which the tool cannot read.
"""

from __future__ import annotations

import sys
import textwrap
import types
from types import SimpleNamespace
from typing import Any

import pytest

import inplace_lint

torch = pytest.importorskip("torch")

#: Ways to make the network `net` and its optimizer `opt`.
_MADE = {
    "plain": "net = Net()",
    "moved": "net = Net().to(device)",
    "moved later": "net = Net()\nnet = net.to(device)",
    "moved in place": "net = Net()\nnet.to(device)",
    "converted": "net = Net().float()",
    "moved, in training mode": "net = Net().to(device).train()",
    "of a function": "def build():\n    return Net().to(device)\n\n\nnet = build()",
    "of a factory": 'net = make("name", pretrained=True).to(device)',
    "in a dict": 'nets = {}\nnets["a"] = Net().to(device)\nnet = nets["a"]',
    "on some paths": "net = Net()\nif torch.cuda.is_available():\n    net = net.cuda()",
    "in a container": "net = nn.Sequential(Net(), nn.Linear(4, 4)).to(device)",
    "in a module": (
        "class Outer(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.net = Net().to(device)\n\n"
        "    def forward(self, x):\n        return self.net(x)\n\n\nnet = Outer()"
    ),
    "with a wrapper": "net = Net()\nnet = wrap(net)",
}
_OPTIMIZERS = {
    "all": "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    "a list": "opt = torch.optim.SGD(list(net.parameters()), lr=0.1)",
    "groups": 'opt = torch.optim.SGD([{"params": [p for p in net.parameters()], "lr": 0.2}], lr=0.1)',
}
#: What is done in each round: (code, whether torch refuses it).
_ROUNDS = {
    "a step before the second backward": (
        "y = net(x)\none, two = y.mean(), y.pow(2).mean()\none.backward(retain_graph=True)\nopt.step()\ntwo.backward()",
        True,
    ),
    "a step after both backwards": (
        "y = net(x)\none, two = y.mean(), y.pow(2).mean()\none.backward(retain_graph=True)\ntwo.backward()\nopt.step()",
        False,
    ),
    "a forward for each step": (
        "for _ in range(2):\n    loss = net(x).pow(2).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()",
        False,
    ),
}
#: Two losses of `y`, and a step between their backwards.
_TWICE = "one, two = y.mean(), y.pow(2).mean()\none.backward(retain_graph=True)\nopt.step()\ntwo.backward()"
#: The same for what a network alone has: methods, parts, an object that it returns.
_OWN_ROUNDS = {
    "an attribute of the output": (
        "y = net(x).logits\n" + _TWICE,
        True,
    ),
    "a method": (
        "y = net.encode(x)\n" + _TWICE,
        True,
    ),
    "parts": (
        "y = net.l2(net.l1(x))\n" + _TWICE,
        True,
    ),
    "an embedding kept over steps": (
        "e = net.encode(x)\nfor _ in range(2):\n    loss = net(torch.tanh(e)).pow(2).mean()\n"
        "    loss.backward(retain_graph=True)\n    opt.step()",
        True,
    ),
    "an embedding without gradients kept over steps": (
        "with torch.no_grad():\n    e = net.encode(x)\nfor _ in range(2):\n    loss = net(e).pow(2).mean()\n"
        "    loss.backward()\n    opt.step()",
        False,
    ),
    "data that a method loads": (
        "for part in net.loader(2):\n    loss = net(part).pow(2).mean()\n    opt.zero_grad()\n    loss.backward()\n"
        "    opt.step()",
        False,
    ),
    "noise that a method draws": (
        "z = net.noise(x)\nfor _ in range(2):\n    loss = net(z).pow(2).mean()\n    loss.backward()\n    opt.step()",
        False,
    ),
}

_PROGRAM = """import torch
from torch import nn
from elsewhere import Net, make, wrap

device = "cpu"
{made}
{optimizer}
for _ in range(2):
    x = torch.randn(2, 4)
{round}
"""


class _Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.l1 = torch.nn.Linear(4, 4)
        self.l2 = torch.nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return self.l2(torch.tanh(self.l1(x)))

    def encode(self, x: Any) -> Any:
        return self.l2(torch.tanh(self.l1(x)))

    def noise(self, x: Any) -> Any:
        return torch.randn_like(x)

    def loader(self, size: int) -> Any:
        return [torch.randn(size, 4) for _ in range(3)]


class _Rich(_Net):
    def forward(self, x: Any) -> Any:
        return SimpleNamespace(logits=super().forward(x))


def _refuses(program: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    package, network = types.ModuleType("elsewhere"), _Rich if ".logits" in program else _Net
    vars(package).update(
        Net=network, make=lambda *_, **__: network(), wrap=torch.nn.Sequential, give_back=lambda *a: a
    )
    monkeypatch.setitem(sys.modules, "elsewhere", package)
    try:
        exec(program, {})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return True
    return False


def _check(made: str, optimizer: str, one_round: str, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _PROGRAM.format(made=made, optimizer=optimizer, round=textwrap.indent(one_round, "    "))
    assert _refuses(program, monkeypatch) == refused
    found = [one.code for one in inplace_lint.check(program).diagnostics if one.severity != "note"]
    assert found == (["IPL106"] if refused else [])


@pytest.mark.parametrize("one_round", _ROUNDS)
@pytest.mark.parametrize("optimizer", _OPTIMIZERS)
@pytest.mark.parametrize("made", _MADE)
def test_a_step_is_told_where_torch_refuses_it(
    made: str, optimizer: str, one_round: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _check(_MADE[made], _OPTIMIZERS[optimizer], *_ROUNDS[one_round], monkeypatch)


@pytest.mark.parametrize("one_round", _OWN_ROUNDS)
@pytest.mark.parametrize(
    "made", ["plain", "moved", "moved later", "moved in place", "of a factory", "on some paths"]
)
def test_so_it_is_for_methods_and_parts(made: str, one_round: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(_MADE[made], _OPTIMIZERS["all"], *_OWN_ROUNDS[one_round], monkeypatch)


def test_an_entry_under_a_key_that_no_tensor_takes_is_no_copy() -> None:
    program = """import torch


def fill(table, rows, load):
    for row in rows:
        table[frozenset(row.items())][0] = load(row)
        table[tuple(sorted(row)), "a"][0] = load(row)
        table[float][0] = load(row)
"""
    assert not inplace_lint.check(program).diagnostics


_GIVEN_BACK = """import torch
from elsewhere import Net, give_back

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net, opt = give_back(net, opt)
x = torch.randn(2, 4)
y = net(x)
one, two = y.mean(), y.pow(2).mean()
one.backward(retain_graph=True)
{}
"""


@pytest.mark.parametrize(
    ("rest", "refused"), [("opt.step()\ntwo.backward()", True), ("two.backward()\nopt.step()", False)]
)
def test_what_a_call_gives_back_under_its_name_is_what_it_was(
    rest: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _GIVEN_BACK.format(rest)
    assert _refuses(program, monkeypatch) == refused
    found = [one.code for one in inplace_lint.check(program).diagnostics if one.severity != "note"]
    assert found == (["IPL106"] if refused else [])


def test_data_that_was_loaded_before_the_parameters_were_asked_for_has_no_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = """import torch
from elsewhere import Net

net = Net()
parts = net.loader(2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    for part in parts:
        loss = net(part).pow(2).mean()
        loss.backward(retain_graph=True)
        opt.step()
"""
    assert not _refuses(program, monkeypatch)
    assert not inplace_lint.check(program).diagnostics


@pytest.mark.parametrize("given", ["", "4"])
def test_a_loader_that_a_network_gives_has_no_graph(given: str) -> None:
    program = f"""import torch
from elsewhere import Parallel


class Trainer:
    def train(self):
        task = self.bare()
        loader = task.train_loader({given})
        while True:
            for number, batch in enumerate(loader):
                self.run(number, batch)

    def run(self, number, batch):
        for optimizer in self.optimizers:
            args = [batch, number]
            if self.parallel:
                output = self.task(*args)
            loss = output["loss"]
            if loss.requires_grad:
                if self.scaled:
                    self.scaler.scale(loss).backward()
            if (number + 1) % self.every == 0:
                if self.scaled:
                    self.scaler.step(optimizer)
                optimizer.zero_grad()

    def bare(self):
        return self.task.module if isinstance(self.task, Parallel) else self.task
"""
    assert not [one for one in inplace_lint.check(program).diagnostics if one.severity != "note"]
