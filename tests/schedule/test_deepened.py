"""How often a function that trains is run: again only where what was not entered may still make a step a hazard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inplace_lint.interp.budget import TRAINING as TRAINING_STEPS
from inplace_lint.interp.budget import TRAINING_ASIDE
from inplace_lint.interp.program import Program
from inplace_lint.project.modules import Project
from inplace_lint.schedule import analyze
from inplace_lint.syntax.module import FunctionSource, Module

from ..interp.in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

    from inplace_lint.interp.run import Run

#: `{loss}` is the loss of a batch, `{steps}` what is done with it. Looking at `Long` takes all steps that runs spend on
#: calls which nothing asks for, so that `Net` and `loss_of` are not entered at first.
TRAINING = (
    """\
import torch
from torch import nn


class Long(nn.Module):
    def forward(self, x):
"""
    + "        x = x + 1\n" * (TRAINING_ASIDE // 3 + 100)
    + """\
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)

    def forward(self, x):
        if x.shape[0] > 10_000:
            raise ValueError("too many")
        if x.shape[0] > 5_000:
            x = x[:5_000]
        return self.second(self.first(x))


def loss_of(net, batch):
    if batch.shape[0] > 10_000:
        raise ValueError("too many")
    if batch.shape[0] > 5_000:
        batch = batch[:5_000]
    return net(batch).square().mean()


def train(batches):
    long = Long()
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in map(long, batches):
        loss = {loss}
        optimizer.zero_grad()
        {steps}


train([torch.ones(2, 3)])
"""
)
LOSSES = {"by a method": "net(batch).square().mean()", "by a function": "loss_of(net, batch)"}
ORDINARY = "loss.backward(); optimizer.step()"
LATE = "loss.backward(retain_graph=True); optimizer.step(); loss.backward()"


def runs_of_train(source: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often `train` is run when it is looked at alone."""
    module = Module("a.py", source.encode())
    program = Program(Project())
    program.files.add(module)
    count = 0
    run_function = analyze.run_function

    def counted(program: Program, source: FunctionSource, deep: frozenset[FunctionSource]) -> Run:
        nonlocal count
        count += 1
        return run_function(program, source, deep)

    monkeypatch.setattr(analyze, "run_function", counted)
    program.begin()
    analyze.deepened(program, module, module.functions["train"])
    return count


def test_a_network_that_is_not_entered_is_not_entered_for_steps_that_spoil_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ordinary = TRAINING.format(loss=LOSSES["by a method"], steps=ORDINARY)
    late = TRAINING.format(loss=LOSSES["by a method"], steps=LATE)
    assert runs_of_train(ordinary, monkeypatch) < runs_of_train(late, monkeypatch)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("steps", [ORDINARY, LATE], ids=["ordinary", "late"])
def test_a_step_is_told_where_torch_refuses_the_backward_behind_it(
    loss: str, steps: str, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    source = TRAINING.format(loss=loss, steps=steps)
    program = tmp_path / "train_it.py"
    program.write_text(source)
    refused = refuses(program, tmp_path)
    assert refused == (steps == LATE)
    assert told(source) == (["IPL106"] if refused else [])


#: Two functions that write what another one returns to them, which writes nothing itself.
SHARED = """\
import torch


def smooth(x, amount):
    x = x * amount
    x = x + 1
    x = x * amount
    x = x + 1
    return x


def first(x):
    y = smooth(torch.sigmoid(x), 2)
    y += 1
    return y


def second(x):
    y = smooth(torch.tanh(x), 3)
    y += 1
    return y
"""


def test_what_one_function_had_to_enter_others_of_the_file_enter_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = Module("a.py", SHARED.encode())
    program = Program(Project())
    program.files.add(module)
    entered: list[tuple[str, bool]] = []
    run_function = analyze.run_function

    def noted(program: Program, source: FunctionSource, deep: frozenset[FunctionSource]) -> Run:
        run = run_function(program, source, deep)
        entered.append((source.name, module.functions["smooth"] in run.entering.entered))
        return run

    monkeypatch.setattr(analyze, "run_function", noted)
    program.begin()
    for name in ("first", "second"):
        analyze.deepened(program, module, module.functions[name])
    assert entered == [("first", False), ("first", True), ("second", True)]


def test_steps_are_told_where_what_another_function_wanted_takes_all_steps() -> None:
    """`again` begins with the network that `train` had to enter, and its steps end there."""
    text = TRAINING.format(loss=LOSSES["by a method"], steps=LATE)
    head, tail = text.split("def train(batches):\n")
    body = tail.split("\n\n\n")[0]
    large = head.replace(
        "        return self.second", "        x = x + 1\n" * TRAINING_STEPS + "        return self.second"
    )
    twice = f"{large}def train(batches):\n{body}\n\n\ndef again(batches):\n{body}\n"
    assert sorted(told(twice)) == ["IPL003", "IPL003", "IPL106", "IPL106"]
