"""What a decorator of another file registers on an object is called when that object calls it: judged in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import inplace_lint

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

ENGINE = """\
class Engine:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.events = {"before": [], "after": []}

    def on(self, name):
        def register(function):
            self.events[name].append(function)
            return function

        return register

    def before(self, function):
        self.events["before"].append(function)
        return function

    def after(self, function):
        self.events["after"].append(function)
        return function

    def step(self, x):
        for function in self.events["before"]:
            function()
        loss = self.model(x).sum()
        for function in self.events["after"]:
            function()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""
HEAD = """\
import torch
from engine import Engine
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return self.last(torch.tanh(self.first(x)))

    def pull(self):
        with torch.no_grad():
            self.last.weight.mul_(0.9)


"""
WAYS = {
    "in a function": """\
def main():
    model = Net()
    engine = Engine(model, torch.optim.SGD(model.parameters(), 0.1))

    @engine.{way}
    def regularise():
        model.pull()

    for _ in range(2):
        engine.step(torch.ones(2, 3))


main()
""",
    "at the top level": """\
model = Net()
engine = Engine(model, torch.optim.SGD(model.parameters(), 0.1))


@engine.{way}
def regularise():
    model.pull()


engine.step(torch.ones(2, 3))
""",
    "by a call": """\
def main():
    model = Net()
    engine = Engine(model, torch.optim.SGD(model.parameters(), 0.1))
    engine.{way}(model.pull)
    engine.step(torch.ones(2, 3))


main()
""",
}


#: An engine that steps nothing: only what it is given writes.
QUIET = ENGINE.replace("        self.optimizer.zero_grad()\n", "").replace(
    "        self.optimizer.step()\n", ""
)
HANDED = """\
def main():
    model = Net()
    engine = Engine(model, None)

    def pull():
        with torch.no_grad():
            model.last.weight.mul_(0.9)

    {given}
    engine.step(torch.ones(2, 3))


main()
"""


@pytest.mark.parametrize("event", ["before", "after"])
@pytest.mark.parametrize("given", ["engine.{}(pull)", "engine.events['{}'].append(pull)"])
def test_an_engine_that_writes_nothing_calls_what_writes(given: str, event: str, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(QUIET)
    program = tmp_path / "main.py"
    program.write_text(HEAD + HANDED.format(given=given.format(event)))
    _check(program, tmp_path, event == "after")


@pytest.mark.parametrize("event", ["before", "after"])
@pytest.mark.parametrize("way", ["on('{}')", "{}"])
@pytest.mark.parametrize("where", WAYS)
def test_a_callback_is_called_where_its_event_is(where: str, way: str, event: str, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    program = tmp_path / "main.py"
    program.write_text(HEAD + WAYS[where].format(way=way.format(event)))
    _check(program, tmp_path, event == "after")


def _check(program: Path, folder: Path, spoils: bool) -> None:
    found = inplace_lint.check(program.read_text(), filename=str(program)).diagnostics
    assert refuses(program, folder) == spoils
    assert [one.code for one in found if one.code < "IPL2"] == (["IPL102"] if spoils else [])
