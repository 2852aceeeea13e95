"""`.data` to a block of no_grad, and an assignment by a mask to `index_put`: what they make, and that torch agrees."""

from __future__ import annotations

import textwrap
from contextlib import nullcontext
from typing import Any

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings


def lint(text: bytes) -> list[Diagnostic]:
    return everything("program.py", text, Settings(notes=True))


def fixed(program: str, unsafe: bool = False) -> str:
    source = textwrap.dedent(program).encode()
    done = fix_source(source, lambda _, found: found, lint, unsafe).source
    assert fix_source(done, lambda _, found: found, lint, unsafe).source == done
    return done.decode()


def values(program: str) -> dict[str, list[float]]:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    names: dict[str, object] = {}
    exec(compile(program, "program.py", "exec"), names)
    return {name: value.tolist() for name, value in names.items() if isinstance(value, torch.Tensor)}


DATA = [
    ("x.data.mul_(2).add_(1)", "x.mul_(2).add_(1)"),
    ("x.data += 1", "x += 1"),
    ("x.data[0] = 5  # first", "x[0] = 5  # first"),
    ("x.data[1:].copy_(x.data[:1])", "x[1:].copy_(x.data[:1])"),
    ("x.data.add_(\n    1,\n)", "x.add_(\n    1,\n)"),
]


@pytest.mark.parametrize(("before", "after"), DATA)
def test_data_write_becomes_a_block_of_no_grad_that_gives_the_same_values(before: str, after: str) -> None:
    program = f"import torch\n\nx = torch.arange(3.0)\n{before}\n"
    done = fixed(program)
    assert done == f"import torch\n\nx = torch.arange(3.0)\nwith torch.no_grad():\n    {after}\n"
    assert values(done) == values(program)


SAID = {
    "with torch.no_grad():\n    x.data.mul_(2)\n": "with torch.no_grad():\n    x.mul_(2)\n",
    "with torch.no_grad():\n    if len(x):\n        x.data += 1  # one\n": (
        "with torch.no_grad():\n    if len(x):\n        x += 1  # one\n"
    ),
    "@torch.no_grad()\ndef f():\n    m = torch.nn.Linear(2, 2)\n    m.weight.data.zero_()\n    return m\n": (
        "@torch.no_grad()\ndef f():\n    m = torch.nn.Linear(2, 2)\n    m.weight.zero_()\n    return m\n"
    ),
    "with torch.no_grad(), torch.enable_grad():\n    x.data.mul_(2)\n": (
        "with torch.no_grad(), torch.enable_grad():\n    with torch.no_grad():\n        x.mul_(2)\n"
    ),
    "with torch.autocast('cpu'), torch.no_grad():\n    x.data.mul_(2)\n": (
        "with torch.autocast('cpu'), torch.no_grad():\n    x.mul_(2)\n"
    ),
}


@pytest.mark.parametrize(("before", "after"), SAID.items())
def test_no_second_block_is_made_where_no_gradients_are_recorded(before: str, after: str) -> None:
    head = "import torch\n\nx = torch.arange(3.0)\n"
    assert fixed(head + before, unsafe=True) == head + after
    assert values(head + after) == values(head + before)


def test_what_out_names_stays_the_memory_that_a_state_holds() -> None:
    program = """\
        import torch


        def step(state, grad):
            largest = state["largest"]
            torch.maximum(largest, grad, out=largest)
            return grad / largest


        state = {"largest": torch.ones(3, requires_grad=True) * 1}
        with torch.no_grad():
            step(state, torch.arange(3.0))
    """
    assert "out=largest" in fixed(program, unsafe=True)


def test_data_write_of_a_weight_is_unsafe_because_backward_may_raise() -> None:
    program = "import torch\n\nm = torch.nn.Linear(2, 2)\nm.weight.data.zero_()\n"
    assert fixed(program) == program
    (one,) = lint(program.encode())
    assert one.code == "IPL201"
    assert one.severity == "note"
    assert one.plan is not None
    assert any("backward raises" in difference for difference in one.plan.differences)
    assert "with torch.no_grad():\n    m.weight.zero_()\n" in fixed(program, unsafe=True)


@pytest.mark.parametrize(
    "statement",
    [
        "y = x.data.mul_(2)",  # the result is used
        "print(x.data.mul_(2))",
        "x.data.mul_(2); print(x)",
        "x.data = torch.zeros(3)",
        "d = x.data\nd.mul_(2)",
    ],
)
def test_other_uses_of_data_stay(statement: str) -> None:
    program = f"import torch\n\nx = torch.arange(3.0)\n{statement}\n"
    assert fixed(program, unsafe=True) == program


def test_no_note_where_nobody_asked_for_notes() -> None:
    program = b"import torch\n\nx = torch.arange(3.0)\nx.data.mul_(2)\n"
    assert everything("program.py", program, Settings()) == []


def test_assignment_by_a_mask_becomes_index_put_where_a_copy_would_be_unsafe_too() -> None:
    program = """\
        import types

        import torch

        holder = types.SimpleNamespace()
        a = torch.ones(3).requires_grad_()
        y = torch.exp(a * 1)
        holder.y = y
        mask = y > 1
        y[mask] = torch.zeros(3)
        y.sum().backward()
        result = y.detach()
    """
    done = fixed(program, unsafe=True)
    assert "y = y.index_put((mask,), torch.zeros(3))\n" in done
    assert fixed(program) == textwrap.dedent(program)
    assert values(done)["result"] == [0.0, 0.0, 0.0]


HELD = {
    "an attribute": """
        class Scaled:
            def __init__(self):
                self.factor = torch.ones(3)

            def scaled(self, x):
                return x * self.factor

            def change(self):
                self.factor.data.add_(1)

        one = Scaled()
        scaled, change = one.scaled, one.change
    """,
    "an element of an attribute": """
        class Scaled:
            def __init__(self):
                self.state = {"factor": torch.ones(3)}

            def scaled(self, x):
                return x * self.state["factor"]

            def change(self):
                self.state["factor"].data.add_(1)

        one = Scaled()
        scaled, change = one.scaled, one.change
    """,
    "a global": """
        factor = torch.ones(3)

        def scaled(x):
            return x * factor

        def change():
            factor.data.add_(1)
    """,
    "a name for an element of a global": """
        factors = [torch.ones(3)]

        def scaled(x):
            return x * factors[0]

        def change():
            first = factors[0]
            first.data.add_(1)
    """,
    "a name of the function around": """
        def made():
            factor = torch.ones(3)

            def scaled(x):
                return x * factor

            def change():
                factor.data.add_(1)

            return scaled, change

        scaled, change = made()
    """,
}


@pytest.mark.parametrize("program", HELD.values(), ids=HELD)
def test_data_write_of_what_others_hold_is_unsafe_because_they_may_have_saved_it(program: str) -> None:
    torch = pytest.importorskip("torch")
    source = "import torch\n\n" + textwrap.dedent(program)
    assert fixed(source) == source
    done = fixed(source, unsafe=True)
    assert "with torch.no_grad():" in done
    for text, raises in ((source, False), (done, True)):
        names: dict[str, Any] = {}
        exec(compile(text, "program.py", "exec"), names)
        loss = names["scaled"](torch.ones(3, requires_grad=True)).sum()
        names["change"]()
        with pytest.raises(RuntimeError, match="inplace operation") if raises else nullcontext():
            loss.backward()


def test_a_block_is_indented_as_the_first_block_of_its_file_is() -> None:
    program = """
        import torch
        from torch.nn import (Linear,
                              ReLU)


        def f():
          x = torch.ones(3)
          x.data.mul_(2)
          return x
    """
    assert "\n  with torch.no_grad():\n    x.mul_(2)\n" in fixed(program)
