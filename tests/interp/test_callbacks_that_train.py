"""A function that only unknown code calls is analysed with what it was made of: `Engine(update)`, `opt.step(closure)`.

Each program is run, and torch says whether its backward raises.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import inplace_lint  # noqa: E402
from inplace_lint.interp.program import Program  # noqa: E402
from inplace_lint.project import Project  # noqa: E402
from inplace_lint.schedule import analyze  # noqa: E402

NETWORKS = """{0}a = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 2))
{0}b = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 2))
{0}opt_a = torch.optim.SGD({0}a.parameters(), lr=0.1)
{0}opt_b = torch.optim.SGD({0}b.parameters(), lr=0.1)
"""

#: Orders of a step, each with the one that torch accepts.
STEPS = {
    "critic before actor": """q = {0}b({0}a(x))
critic = (q - 1).pow(2).mean()
actor = -q.mean()
critic.backward(retain_graph=True)
{0}opt_b.step()
actor.backward()
{0}opt_a.step()
""",
    "both before the steps": """q = {0}b({0}a(x))
critic = (q - 1).pow(2).mean()
actor = -q.mean()
critic.backward(retain_graph=True)
actor.backward()
{0}opt_b.step()
{0}opt_a.step()
""",
    "old graph": """f = {0}a(x)
for _ in range(2):
    {0}b(f).pow(2).mean().backward(retain_graph=True)
    {0}opt_a.step()
    {0}opt_b.step()
""",
    "new graph": """for _ in range(2):
    {0}b({0}a(x)).pow(2).mean().backward()
    {0}opt_a.step()
    {0}opt_b.step()
""",
}


def body(step: str, prefix: str = "", depth: int = 1) -> str:
    return textwrap.indent(step.format(prefix), "    " * depth)


def networks(prefix: str = "", depth: int = 0) -> str:
    return textwrap.indent(NETWORKS.format(prefix), "    " * depth)


FORMS: dict[str, Callable[[str], str]] = {
    "passed": lambda step: (
        f"def main():\n{networks(depth=1)}\n    def update(x):\n{body(step, depth=2)}\n"
        "    somewhere.twice(update)\n\n\nmain()\n"
    ),
    "passed to a class": lambda step: (
        f"def main():\n{networks(depth=1)}\n    def update(x):\n{body(step, depth=2)}\n"
        "    somewhere.Engine(step=update).run()\n\n\nmain()\n"
    ),
    "returned": lambda step: (
        f"def make():\n{networks(depth=1)}\n    def update(x):\n{body(step, depth=2)}\n    return update\n\n\n"
        "somewhere.twice(make())\n"
    ),
    "decorated": lambda step: (
        f"def main():\n{networks(depth=1)}\n    @somewhere.on('batch')\n    def update(x):\n{body(step, depth=2)}"
        "\n\nmain()\n"
    ),
    "in a dict": lambda step: (
        f"def main():\n{networks(depth=1)}\n    def update(x):\n{body(step, depth=2)}\n"
        "    somewhere.Engine(**{'step': update}).run()\n\n\nmain()\n"
    ),
    "kept": lambda step: (
        f"class Trainer:\n    def __init__(self):\n{networks(depth=2)}\n        def update(x):\n{body(step, depth=3)}\n"
        "        self.update = update\n\n    def fit(self):\n        somewhere.twice(self.update)\n\n\n"
        "Trainer().fit()\n"
    ),
    "method": lambda step: (
        f"class Trainer:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n\n    def start(self):\n"
        f"        self.opt_a = torch.optim.SGD(self.a.parameters(), lr=0.1)\n"
        f"        self.opt_b = torch.optim.SGD(self.b.parameters(), lr=0.1)\n        somewhere.twice(self.update)\n\n"
        f"    def update(self, x):\n{body(step, 'self.', 2)}\n\n{networks()}Trainer(a, b).start()\n"
    ),
    "method in a dict": lambda step: (
        f"class Trainer:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n\n    def start(self):\n"
        f"        self.opt_a = torch.optim.SGD(self.a.parameters(), lr=0.1)\n"
        f"        self.opt_b = torch.optim.SGD(self.b.parameters(), lr=0.1)\n"
        f"        somewhere.each({{'step': self.update}})\n\n"
        f"    def update(self, x):\n{body(step, 'self.', 2)}\n\n{networks()}Trainer(a, b).start()\n"
    ),
    "lambda": lambda step: (
        f"def update(x, a, b, opt_a, opt_b):\n{body(step)}\n\n{networks()}"
        "somewhere.twice(lambda x: update(x, a, b, opt_a, opt_b))\n"
    ),
    "partial": lambda step: (
        f"from functools import partial\n\n\ndef update(x, a, b, opt_a, opt_b):\n{body(step)}\n\n{networks()}"
        "somewhere.twice(partial(update, a=a, b=b, opt_a=opt_a, opt_b=opt_b))\n"
    ),
    "object that is called": lambda step: (
        "class Update:\n    def __init__(self, a, b, opt_a, opt_b):\n"
        "        self.a, self.b, self.opt_a, self.opt_b = a, b, opt_a, opt_b\n\n"
        f"    def __call__(self, x):\n{body(step, 'self.', 2)}\n\n{networks()}"
        "somewhere.twice(Update(a, b, opt_a, opt_b))\n"
    ),
}


def twice(function: Callable[[Any], Any]) -> Any:
    function(torch.ones(1, 2))
    function(torch.ones(1, 2))
    return function


class Engine:
    def __init__(self, step: Callable[[Any], Any]) -> None:
        self.step = step

    def run(self) -> None:
        twice(self.step)


@pytest.fixture(autouse=True)
def _somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("somewhere")
    module.twice, module.Engine, module.on = twice, Engine, lambda event: twice
    module.each = lambda table: [twice(one) for one in table.values()]
    module.later = lambda function: lambda: twice(function)
    monkeypatch.setitem(sys.modules, "somewhere", module)


def raises(text: str) -> bool:
    try:
        exec(compile(text, "program.py", "exec"), {"__name__": "program"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error), error
        return True
    return False


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("form", FORMS)
def test_a_callback_knows_the_networks_that_it_was_made_of(form: str, step: str) -> None:
    text = "import somewhere\nimport torch\n" + FORMS[form](STEPS[step])
    found = [one.code for one in inplace_lint.check(text).diagnostics if one.code == "IPL106"]
    assert bool(found) == raises(text), inplace_lint.check(text).diagnostics


BEFORE = """import somewhere
import torch

net, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
hidden = head(torch.tanh(net(torch.ones(1, 2))))


def main():
    def closure(x):
        hidden.sum().backward(retain_graph=True)

    somewhere.twice(closure)
    opt.step()


main()
"""


def test_what_was_written_after_the_callback_was_called_is_no_hazard_of_it() -> None:
    """When unknown code calls it is not known: its backward comes in no order with the steps around."""
    assert not raises(BEFORE)
    assert not inplace_lint.check(BEFORE).diagnostics


AFTER = """import somewhere
import torch


def main():
    w = torch.ones(2, requires_grad=True)
    y = torch.exp(w)

    def undo(x):
        y.mul_(2)
        torch.ones(1, requires_grad=True).sum().backward()

    run = somewhere.later(undo)
    y.sum().backward(retain_graph=True)
    run()
    return y


main()
"""


def test_what_a_callback_writes_is_no_hazard_of_what_was_saved_before() -> None:
    assert not raises(AFTER)
    program = Program(Project())
    module = program.files.read("program.py", AFTER.encode())
    run = analyze.run_function(program, module.functions["main"])
    assert [write.op for write in run.found.writes] == ["mul_"]
    assert not run.heap.hazards
