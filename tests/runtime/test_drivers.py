"""Functions, tests and main blocks of a file run the blocks that they reach, and hazards in them are confirmed."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.runtime import blocks
from inplace_lint.runtime.drivers import drivers

from .command import about

pytestmark = pytest.mark.usefixtures("no_traces")


def told(source: str, *block: str) -> list[str]:
    return [one.told for one in drivers(textwrap.dedent(source), block)]


def test_what_runs_a_backward_comes_first_then_what_is_near() -> None:
    source = """
        class Net: ...
        def build(): return Net()
        def smoke(): return build()
        def train(steps=2): build().loss().backward()
        def other(): return 1
        def needs(batch): return Net()(batch)
        async def later(): return Net()
        def yields(): yield Net()
        class TestNet:
            def test_shape(self): Net()
            def test_of_rows(self, rows): Net()
            def helper(self): Net()
        """
    assert told(source, "Net", "forward") == ["train()", "build()", "TestNet.test_shape()", "smoke()"]
    assert told(source, "other") == []


def test_main_block_runs_unless_it_only_calls_what_runs_anyway() -> None:
    block = "def step(x): ...\ndef main(): step(1)\nif __name__ == '__main__':\n"
    assert told(block + "    main()\n", "step") == ["main()"]
    assert told(block + "    step(2)\n    main()\n", "step") == ["main()", 'if __name__ == "__main__"']
    assert told(block + "    print(3)\n", "step") == ["main()"]


def test_fixtures_and_the_block_itself_are_no_drivers() -> None:
    source = """
        import pytest
        def train(): ...
        @pytest.fixture
        def trained(): train()
        @pytest.mark.slow
        def test_training(): train()
        """
    assert told(source, "train") == ["test_training()"]


GATE = """\
import os
import sys
import torch
from torch import nn

class Gate(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.proj = nn.Linear(table["width"], 4)
        self.register_buffer("offset", torch.zeros(4))

    def forward(self, batch):
        y = torch.sigmoid(self.proj(batch["x"]))
        {write}
        return y * y

def made():
    return Gate({{"width": 3}}), {{"x": torch.rand(2, 3)}}

"""
DRIVERS = {
    "a function that runs backward": "def run():\n    gate, batch = made()\n    gate(batch).sum().backward()\n",
    "a function that returns": "def demo(rows=2):\n    gate, batch = made()\n    return gate(batch)\n",
    "a test": "class TestGate:\n    def setup_method(self):\n        self.gate, self.batch = made()\n"
    "    def test_it(self):\n        self.gate(self.batch).sum().backward()\n",
    "a test of unittest": "import unittest\nclass GateTest(unittest.TestCase):\n    def setUp(self):\n"
    "        self.gate, self.batch = made()\n"
    "    def test_it(self):\n        self.gate(self.batch).sum().backward()\n",
    "a main block": "if __name__ == '__main__':\n    gate, batch = made()\n    gate(batch).sum().backward()\n",
    "a loop without end": "def train():\n    gate, batch = made()\n    while True:\n"
    "        gate.zero_grad()\n        try:\n            gate(batch).sum().backward()\n"
    "        except RuntimeError:\n            pass\n",
    "a command line": "def main():\n    assert sys.argv[1:] == []\n    gate, batch = made()\n"
    "    gate(batch).sum().backward()\n",
}


def judged(
    folder: Path, source: str, write: str, code: str = "IPL101", seconds: float = 18.0
) -> dict[str, Any]:
    file = folder / "gate_of_rows.py"
    file.write_text(source)
    arguments = {**about(file, code, write, "Gate", "forward"), "seconds": seconds}
    (verdict,) = blocks.examine(arguments, lambda *stage: None)
    return verdict


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_hazard_is_confirmed_by_what_reaches_it(tmp_path: Path, driver: str) -> None:
    verdict = judged(tmp_path, GATE.format(write="y += self.offset") + DRIVERS[driver], "y +=")
    assert verdict["status"] == "confirmed", verdict
    # The offset is zero: no value changes, and PyTorch raises all the same.
    assert verdict["reason"].startswith("PyTorch raises in backward when ")


@pytest.mark.parametrize("driver", DRIVERS)
def test_clean_code_is_not_confirmed_by_what_reaches_it(tmp_path: Path, driver: str) -> None:
    source = GATE.format(write="y = y + self.offset") + DRIVERS[driver]
    verdict = judged(tmp_path, source, "y = y +", seconds=6.0)
    assert verdict["status"] == "inconclusive", verdict


def test_a_driver_that_fails_leaves_it_to_the_others(tmp_path: Path) -> None:
    failing = "def fetch():\n    made()[0](None).backward()\n"
    source = GATE.format(write="y += 1") + failing + DRIVERS["a function that returns"]
    assert judged(tmp_path, source, "y +=")["status"] == "confirmed"


def test_a_driver_writes_beside_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saving = "def train():\n    gate, batch = made()\n    open('checkpoint', 'w').close()\n"
    source = GATE.format(write="y += 1") + saving + "    gate(batch).sum().backward()\n"
    assert judged(tmp_path, source, "y +=")["status"] == "confirmed"
    assert not os.path.exists("checkpoint")


def test_what_comes_back_is_not_differentiated_where_a_backward_ran(tmp_path: Path) -> None:
    # A second backward through what the step has changed would raise; nobody asks for one.
    source = """\
import torch

class Gate:
    def forward(self, layer, step):
        y = layer(torch.rand(2, 3)).tanh().square().sum()
        y.backward(retain_graph=True)
        step()
        return y

def train():
    layer = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    return Gate().forward(layer, torch.optim.SGD(layer.parameters(), 0.1).step)
"""
    assert judged(tmp_path, source, "step()", "IPL106")["status"] != "confirmed"


def test_nor_is_what_a_function_returns_that_is_called_itself(tmp_path: Path) -> None:
    source = """\
import torch

def fit(steps=2):
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    step = torch.optim.SGD(net.parameters(), 0.1).step
    for _ in range(steps):
        loss = net(torch.randn(4, 3)).square().mean()
        loss.backward(retain_graph=True)
        step()
    return loss
"""
    file = tmp_path / "fit_and_return.py"
    file.write_text(source)
    (verdict,) = blocks.examine(about(file, "IPL106", "step()", "fit"), lambda *stage: None)
    assert verdict["status"] == "refuted", verdict


def test_statements_of_the_author_come_before_drivers(tmp_path: Path) -> None:
    source = GATE.format(write="y += 1").replace("class Gate", "# inplace-lint: inputs batch=3\nclass Gate")
    file = tmp_path / "gate_of_rows.py"
    file.write_text(source + DRIVERS["a function that returns"])
    stages: list[str] = []
    blocks.examine(
        about(file, "IPL101", "y +=", "Gate", "forward"), lambda name, known=None: stages.append(name)
    )
    assert "inputs" in stages
    assert "the run of demo() without the tracer" not in stages[: stages.index("inputs")]


PARTS = """\
import torch
from torch import nn

class Parts(nn.Module):
    def __init__(self, spans):
        super().__init__()
        self.spans = spans
        self.proj = nn.Linear(6, 6)

    def forward(self, batch):
        y = self.proj(batch["rows"])
        return torch.cat([y[:, first:last] for first, last in self.spans.values()], 1)

def fails():
    Parts(None)(None)

def never_ends():
    Parts({})
    while True:
        pass

def demo(rows=3):
    return Parts({"a": (0, 2), "b": (2, 6)})({"rows": torch.rand(rows, 6)})
"""


def test_inputs_that_no_trial_finds_are_those_of_a_program_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inplace_lint.runtime.inputs import Call, build, programs
    from inplace_lint.runtime.targets import imported

    monkeypatch.setattr(programs, "_SECONDS", 1.0)
    file = tmp_path / "parts_of_rows.py"
    file.write_text(PARTS)
    call = build(imported("parts_of_rows", str(file)).Parts, trials=8)
    assert isinstance(call, Call), call
    assert call.source == "program"
    args, _ = call.inputs()
    assert call.function()(*args).shape == (3, 6)


def test_a_program_is_run_for_inputs_no_further_than_to_the_first_use(tmp_path: Path) -> None:
    from inplace_lint.runtime.inputs import Call, build
    from inplace_lint.runtime.targets import imported

    file = tmp_path / "parts_once.py"
    after = f"def run():\n    demo()\n    open({str(tmp_path / 'made')!r}, 'w').close()\n"
    file.write_text(PARTS.partition("def fails")[0] + PARTS[PARTS.index("def demo") :] + after)
    assert isinstance(build(imported("parts_once", str(file)).Parts, trials=8), Call)
    assert not (tmp_path / "made").exists()
