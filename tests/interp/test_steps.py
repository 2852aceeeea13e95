"""An optimizer that a function of another file steps, over a network whose layers another package made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

ZOO = """from torch import nn


def layers(n):
    return nn.Sequential(nn.Linear(n, 4), nn.ReLU(), nn.Linear(4, n))
"""
TRAINING = """import torch


def update(optimizer, loss, retain=False):
    optimizer.zero_grad()
    loss.backward(retain_graph=retain)
    optimizer.step()
"""
AGENT = """import torch
from torch import nn
from torch.optim import SGD
from layer_zoo import layers
from agent_training import update


class Critic(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.inner = layers(n)

    def forward(self, x):
        return self.inner(x)


class Agent:
    def __init__(self):
        self.actor, self.critic = Critic(3), Critic(3)
        self.of_actor = SGD(self.actor.parameters(), lr=0.1)
        self.of_critic = SGD(self.critic.parameters(), lr=0.1)

    def learn(self, states):
        value = self.critic(states).mean()
{order}


def run():
    Agent().learn(torch.randn(2, 3))
"""
WRONG = """        wanted = -self.critic(self.actor(states)).mean()
        update(self.of_critic, value)
        update(self.of_actor, wanted)"""
RIGHT = """        update(self.of_critic, value)
        wanted = -self.critic(self.actor(states)).mean()
        update(self.of_actor, wanted)"""


@pytest.mark.parametrize(("order", "codes"), [(WRONG, {"IPL106"}), (RIGHT, set())], ids=["wrong", "right"])
def test_a_step_in_another_file_meets_what_layers_of_another_package_saved(
    order: str, codes: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project, elsewhere):
        folder.mkdir()
        monkeypatch.syspath_prepend(str(folder))
    (elsewhere / "layer_zoo.py").write_text(ZOO)
    (project / "agent_training.py").write_text(TRAINING)
    text = AGENT.format(order=order)
    (project / "agent.py").write_text(text)
    for name in ("layer_zoo", "agent_training"):
        sys.modules.pop(name, None)
    space: dict[str, object] = {}
    exec(compile(text, "agent.py", "exec"), space)
    run = space["run"]
    assert callable(run)
    if codes:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run()
    else:
        run()
    found = check_source(str(project / "agent.py"), text.encode(), Settings(), Project(root=str(project)))
    assert {one.code for one in found if one.severity == "error"} == codes


SCALER = """import torch
from torch import nn


class Scaler(nn.Module):
    def __init__(self, source):
        super().__init__()
        self.source = source
        self.scale = nn.Parameter(torch.zeros(3))

    def fit(self, x, steps):
        optimizer = torch.optim.LBFGS(self.parameters())

        def closure():
            optimizer.zero_grad()
            loss = (x * torch.exp(self.scale) - y).square().mean()
            loss.backward(retain_graph=True)
            return loss

        y = self.source({given})
        for _ in range(steps):
            optimizer.step(closure)
"""


@pytest.mark.parametrize("given", ["", "x"])
def test_what_is_called_without_arguments_gives_a_batch_and_is_no_layer(given: str) -> None:
    """A layer among those that are stepped is spoiled for the next backward, as torch says of the one with `x`."""
    text = SCALER.format(given=given)
    raised = False
    try:
        scope: dict[str, object] = {}
        exec(compile(text, "scaler.py", "exec"), scope)
        source = (
            torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 3))
            if given
            else lambda: torch.ones(2, 3)
        )
        scope["Scaler"](source).fit(torch.randn(2, 3), 2)  # type: ignore[operator]
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
    found = check_source("scaler.py", text.encode(), Settings(), Project())
    assert raised is bool(given)
    assert [one.code for one in found] == ["IPL106"] * raised
