"""A network that another module wraps: what is called, trained and written is the network itself; judged in torch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

SCRIPT = """import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x, scale=1.0):
        h = torch.exp(self.body(x))
        return {{"out": h, "low": -h * scale}}

    def weights(self):
        return [p for m in [self.body] for p in m.parameters()]


class Trainer:
    def __init__(self):
        self.net = {wrapped}
        self.optimizer = torch.optim.SGD({weights}, lr=0.1)

    def step(self, x):
        found = {call}
        out, low = found["out"], found["low"]
        {body}


Trainer().step(torch.randn(3, 4))
"""
WRAPPED = {
    "plain": ("nn.DataParallel(Net())", "self.net"),
    "moved": ("torch.nn.DataParallel(Net()).to('cpu')", "self.net"),
    "listed": ("nn.DataParallel(Net(), device_ids=None)", "self.net"),
    "distributed": ("DDP(Net())", "self.net"),
    "path": ("torch.nn.parallel.DataParallel(module=Net()).train()", "self.net"),
}
WEIGHTS = {
    "all": "{net}.parameters()",
    "inner": "{net}.module.parameters()",
    "method": "{net}.module.weights()",
}
CALLS = {"call": "{net}(x, scale=2.0)", "forward": "{net}.forward(x)", "inner": "{net}.module(x)"}
BODIES = {
    "step between": (
        "out.mean().backward(retain_graph=True); self.optimizer.step(); low.mean().backward()",
        True,
    ),
    "write": ("out /= 2; out.mean().backward()", True),
    "clean": ("(out / 2 + low).mean().backward(); self.optimizer.step()", False),
}


@pytest.fixture(scope="module", autouse=True)
def one_process() -> Iterator[None]:
    """A group of one process, without which nothing is distributed."""
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


@pytest.mark.skipif(sys.platform != "linux", reason="gloo")
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    ("wrapped", "weights", "call"),
    [
        *((wrapped, "inner", "call") for wrapped in WRAPPED),
        *(("plain", weights, "call") for weights in WEIGHTS),
        *(("moved", "method", call) for call in CALLS),
    ],
)
def test_what_is_wrapped_is_called_and_trained(
    tmp_path: Path, wrapped: str, weights: str, call: str, body: str
) -> None:
    made, net = WRAPPED[wrapped]
    text = SCRIPT.format(
        wrapped=made,
        weights=WEIGHTS[weights].format(net=net),
        call=CALLS[call].format(net=net),
        body=BODIES[body][0],
    )
    found = check_source(str(tmp_path / "train.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert _raises(text) == BODIES[body][1]
    assert any(one.code.startswith("IPL1") for one in found) == BODIES[body][1]


def _raises(text: str) -> bool:
    try:
        exec(compile(text, "train.py", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        return "inplace operation" in str(error)
    return False


OWN = """import torch
from torch import nn


class Act(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.line = nn.Linear(dim, dim)

    def forward(self, x):
        return self.line(x).sigmoid()


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class Chosen(nn.Module):
    def __init__(self, *, inner, skip=False):
        super().__init__()
        self.inner, self.skip = inner, skip

    def forward(self, x):
        if self.skip:
            return x
        return self.inner(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {layer}
        self.layers = nn.ModuleList([{layer} for _ in range(2)])

    def forward(self, x):
        {body}
        return x
"""
LAYERS = {
    "first": "PreNorm(4, Act(4))",
    "by name": "PreNorm(fn=Act(4), dim=4)",
    "in another": "Chosen(inner=PreNorm(4, Act(4)))",
    "chosen": "Chosen(inner=Act(4))",
}
FORWARDS = {
    "once": ("x = self.layer(x); x *= 2", True),
    "each": ("for layer in self.layers:\n            x = layer(x).clamp_(min=0.1)", True),
    "clean": ("x = self.layer(x) * 2\n        x += 1", False),
}


@pytest.mark.parametrize("body", FORWARDS)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_wrapper_of_ones_own_is_what_it_calls(tmp_path: Path, layer: str, body: str) -> None:
    text = OWN.format(layer=LAYERS[layer], body=FORWARDS[body][0])
    found = check_source(str(tmp_path / "net.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert _raises(text + "\n\nNet()(torch.randn(3, 4)).sum().backward()\n") == FORWARDS[body][1]
    assert any(one.severity == "error" for one in found) == FORWARDS[body][1]
