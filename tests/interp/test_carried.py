"""A state that a loop carries over an optimizer's step, among values of which nothing is known: judged in torch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

#: A package of which the analysis sees nothing.
WORLD = """import torch


class World:
    bonus = 2.0

    def reset(self):
        return torch.randn(1, 4)

    def step(self, action):
        return torch.randn(1, 4), torch.ones(1), False


class Keeper:
    def __init__(self):
        self.total = 0

    def add(self, loss):
        self.total = self.total + loss

    def take(self):
        total, self.total = self.total, 0
        return total


def weighed(values):
    return values * 2


def layers(n):
    return torch.nn.Linear(n, n)
"""
SCRIPT = """import argparse
import torch
from torch import nn
from torch.distributions import Categorical
from far_world import Keeper, World, weighed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
        self.head = nn.Linear(8, 2)


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", default=0.1)
    args = parser.parse_args([])
    net, world, keeper = Net(), World(), Keeper()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    obs = world.reset()
    state = net.features(obs)
    for _ in range(3):
{round}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
NEXT = "obs, reward, done = world.step(0)\nstate = net.features(obs)"
WRONG = {
    "nothing unknown": "out = net.head(state)\nstate = net.features(torch.randn(1, 4))\nloss = out.sum()",
    "unpacked before": f"out = net.head(state)\n{NEXT}\nloss = (out * reward).sum()",
    "an operator": f"out = net.head(state)\n{NEXT}\nloss = (out * (1 - done) * reward).sum()",
    "an option": f"out = net.head(state)\n{NEXT}\nloss = (out * args.scale).sum()",
    "entropy": f"chosen = Categorical(logits=net.head(state))\n{NEXT}\nloss = chosen.entropy().sum()",
    "log_prob": f"chosen = Categorical(logits=net.head(state))\naction = chosen.sample()\n{NEXT}\n"
    "loss = (chosen.log_prob(action) * reward).sum()",
    "weighed data": f"out = net.head(state)\n{NEXT}\nloss = (out * weighed(reward)).sum()",
    "a row": f"out = net.head(state)\n{NEXT}\nloss = (out[0] * (reward + done)[0]).sum()",
    "an attribute": f"out = net.head(state)\n{NEXT}\nloss = (out * world.bonus).sum()",
    "weighed first": f"out = weighed(net.head(state))\n{NEXT}\nloss = (out * reward).sum()",
}
RIGHT = {
    "detached": f"out = net.head(state)\n{NEXT}\nstate = state.detach()\nloss = (out * reward).sum()",
    "detached in place": f"out = net.head(state)\n{NEXT}\nstate.detach_()\nloss = (out * reward).sum()",
    "no_grad": "out = net.head(state)\nobs, reward, done = world.step(0)\nwith torch.no_grad():\n"
    "    state = net.features(obs)\nloss = (out * reward).sum()",
    "made anew": "obs, reward, done = world.step(0)\nstate = net.features(obs)\nout = net.head(state)\n"
    "loss = (out * reward * args.scale).sum()",
    "a number": "out = net.head(net.features(obs))\nobs, reward, done = world.step(state.sum().item())\n"
    "loss = (out * reward).sum()",
    "kept elsewhere": "keeper.add(net.head(net.features(obs)).sum())\nloss = keeper.take()",
    "read elsewhere": "keeper.add(net.head(net.features(obs)).sum())\nloss = keeper.total\nkeeper.take()",
}
FORMS = [("IPL106", round) for round in WRONG.values()] + [("", round) for round in RIGHT.values()]


#: A network that keeps a state from one call to the next.
KEEPING = """import sys
import torch
from torch import nn
from far_world import weighed


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(8, 4)
        self.kept = torch.zeros(1, 4)

    def forward(self, x):
        self.kept = torch.tanh(self.mix(torch.cat([x, self.kept], 1)))
        return self.kept


class Net(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.cell(x))

    def let_go(self):
        self.cell.kept = self.cell.kept.detach()


def train(loader, net, criterion, optimizer):
    for images, labels in loader:
{rounds}


def run():
    cell = Cell()
{build}
    optimizer = torch.optim.RMSprop(net.parameters())
    data = [([torch.randn(1, 4)] * 3, [torch.randn(1, 2)] * 3)] * 2
    train(data, net, nn.MSELoss(), optimizer)
"""
BUILD = {
    "one": "net = Net(cell)",
    "either": "if len(sys.argv) > 99:\n    net = Net(cell)\nelse:\n    net = Net(cell)",
    "set up at length": "net = Net(cell)\n"
    + "for m in net.modules():\n    if isinstance(m, nn.Linear):\n        nn.init.normal_(m.weight)\n" * 150,
}
EACH = """for image, label in zip(images, labels):
    loss = criterion(net(image), label)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
"""
ROUNDS = {
    "let go after the sequence": ("IPL106", f"{EACH}net.let_go()"),
    "let go after each": ("", f"{EACH}    net.let_go()"),
    "set anew": ("", EACH.replace("    loss =", "    net.cell.kept = torch.zeros(1, 4)\n    loss =")),
    "one step for all": (
        "",
        """total = 0
for image, label in zip(images, labels):
    total = total + criterion(net(image), label)
optimizer.zero_grad()
total.backward()
optimizer.step()
net.let_go()""",
    ),
}


@pytest.mark.parametrize("build", BUILD.values(), ids=BUILD)
@pytest.mark.parametrize(("code", "rounds"), ROUNDS.values(), ids=ROUNDS)
def test_a_network_keeps_a_state(
    code: str, rounds: str, build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = KEEPING.format(rounds=indented(rounds, 8), build=indented(build, 4))
    judge(text, code, tmp_path, monkeypatch)


@pytest.mark.parametrize(("code", "round"), FORMS, ids=[*WRONG, *RIGHT])
def test_a_state_is_carried_over_a_step(
    code: str, round: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(SCRIPT.format(round=indented(round, 8)), code, tmp_path, monkeypatch)


#: A loss that is made in one way or another: on no path a forward is passed over, whichever way it is looked at.
CHOSEN = """import torch
from torch import nn
from far_world import layers


class Adversarial(nn.Module):
    def __init__(self, kind, count):
        super().__init__()
        self.kind, self.count = kind, count
        self.net = nn.Sequential(layers(4), nn.Linear(4, 4), nn.LeakyReLU(), nn.Linear(4, 1))
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def forward(self, fake, real):
        for _ in range(self.count):
            self.optimizer.zero_grad()
            d_fake = self.net(fake.detach())
            d_real = self.net(real)
            if self.kind == "GAN":
                loss = (d_fake * d_real).mean()
            elif self.kind.find("WGAN") >= 0:
                loss = (d_fake - d_real).mean()
                if self.kind.find("GP") >= 0:
                    loss = loss + self.net(real + fake.detach()).mean()
{end}
        return self.net(fake).mean()


def run():
    for kind in "GAN", "WGAN", "WGAN_GP":
        Adversarial(kind, 2)(torch.rand(2, 4), torch.rand(2, 4)).backward()
"""
ENDS = {
    "one step": ("", "loss.backward()\nself.optimizer.step()"),
    "a step too early": (
        "IPL106",
        "again = self.net(real).mean()\nloss.backward()\nself.optimizer.step()\nagain.backward()",
    ),
}


@pytest.mark.parametrize(("code", "end"), ENDS.values(), ids=ENDS)
def test_a_loss_is_one_of_several(
    code: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(CHOSEN.format(end=indented(end, 12)), code, tmp_path, monkeypatch)


def indented(text: str, count: int) -> str:
    return "\n".join(" " * count + line for line in text.splitlines())


def judge(text: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether torch refuses the program, and the error of this code alone stands in it; empty: neither."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project, elsewhere):
        folder.mkdir()
    monkeypatch.syspath_prepend(str(elsewhere))
    (elsewhere / "far_world.py").write_text(WORLD)
    sys.modules.pop("far_world", None)
    space: dict[str, object] = {}
    exec(compile(text, "script.py", "exec"), space)
    run = space["run"]
    assert callable(run)
    if code:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run()
    else:
        run()
    found = check_source(str(project / "script.py"), text.encode(), Settings(), Project(root=str(project)))
    assert [one.code for one in found if one.severity == "error"] == ([code] if code else [])
