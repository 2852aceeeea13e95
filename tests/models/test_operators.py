"""What `torch.library` is told of operators counts wherever they are called; torch judges each program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

OPERATORS = """\
from typing import Tuple

import torch
import torch.library
from torch import Tensor
from torch.library import Library, custom_op, register_autograd


@torch.library.custom_op("SPACE::fill", mutates_args=("x",))
def fill(x: Tensor, value: float) -> None:
    x.fill_(value)


@custom_op("SPACE::add_into", mutates_args={"out"})
def add_into(x: Tensor, out: Tensor, *, scale: float = 1.0) -> None:
    out.add_(x, alpha=scale)


@custom_op("SPACE::anything", mutates_args="unknown")
def anything(x: Tensor, y: Tensor) -> None:
    x.mul_(2)


@custom_op("SPACE::square", mutates_args=())
def square(x: Tensor) -> Tensor:
    y = torch.exp(x)
    y += 1
    return x * x


def keep_input(ctx, inputs, output):
    (x,) = inputs
    ctx.save_for_backward(x)


def square_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * 2 * x


square.register_autograd(square_backward, setup_context=keep_input)


@custom_op("SPACE::exp", mutates_args=[])
def exp(x: Tensor) -> Tensor:
    return torch.exp(x)


def keep_output(ctx, inputs, output):
    ctx.save_for_backward(output)


def exp_backward(ctx, grad):
    return grad * ctx.saved_tensors[0]


register_autograd("SPACE::exp", exp_backward, setup_context=keep_output)


@custom_op("SPACE::both", mutates_args=())
def both(x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:
    return torch.exp(x), x + y


def keep_some(ctx, inputs, output):
    first, second = output
    y = inputs[1]
    ctx.save_for_backward(first, y)


def both_backward(ctx, grad, other):
    first, y = ctx.saved_tensors
    return grad * first + other, other * 1 + y * 0


torch.library.register_autograd(both, both_backward, setup_context=keep_some)


def _double(x: Tensor) -> None:
    x.mul_(2)


double = custom_op("SPACE::double", _double, mutates_args=("x",))

torch.library.define("SPACE::add_to", "(Tensor(a!) x, Tensor y, *, float scale=1.0) -> ()")


@torch.library.impl("SPACE::add_to", "CompositeExplicitAutograd")
def add_to(x, y, *, scale=1.0):
    x.add_(y, alpha=scale)


library = Library("SPACE", "FRAGMENT")
library.define("shift(Tensor x, Tensor(a!)[] others, int[2] by=0) -> (Tensor, Tensor(a!)[])")
library.define("clear(Tensor(a!) x) -> Tensor(a!)")
library.impl("clear", lambda x: x.zero_(), "CompositeExplicitAutograd")
"""

#: The lines of a forward, on `h = self.fc(x)`.
BAD = {
    "write": "y = torch.exp(h)\nfill(y, 1.0)  # IPL101\nreturn y",
    "write_under_no_grad": "y = torch.exp(h)\nwith torch.no_grad():\n    fill(y, 1.0)  # IPL101\nreturn y",
    "write_by_the_namespace": "y = torch.exp(h)\ntorch.ops.SPACE.fill(y, 1.0)  # IPL101\nreturn y",
    "write_by_an_overload": "y = torch.exp(h)\ntorch.ops.SPACE.fill.default(y, 1.0)  # IPL101\nreturn y",
    "keyword": "y = torch.exp(h)\nadd_into(h, scale=2.0, out=y)  # IPL101\nreturn y",
    "unknown_is_all": "y = torch.exp(h)\nanything(h * 1, y)  # IPL101\nreturn y",
    "input_that_is_saved": "y = square(h)\nh += 1  # IPL102\nreturn y",
    "result_that_is_saved": "y = exp(h)\ny += 1  # IPL101\nreturn y",
    "result_by_the_namespace": "y = torch.ops.SPACE.exp(h)\ny += 1  # IPL101\nreturn y",
    "first_of_two_results": "a, b = both(h, x)\na += 1  # IPL101\nreturn a + b",
    "second_input": "z = h * 1\na, b = both(h, z)\nz += 1  # IPL102\nreturn a + b",
    "functional_form": "y = torch.exp(h)\ndouble(y)  # IPL101\nreturn y",
    "schema": "y = torch.exp(h)\ntorch.ops.SPACE.add_to(y, h)  # IPL101\nreturn y",
    "schema_of_a_library": "y = torch.exp(h)\ntorch.ops.SPACE.clear(y)  # IPL101\nreturn y",
}
GOOD = {
    "write_of_what_nobody_saved": "y = h + 1\nfill(y, 1.0)\nreturn y",
    "write_of_a_leaf": "w = nn.Parameter(torch.ones(4))\nfill(w, 1.0)\nreturn h + w",
    "write_of_the_other": "y = torch.exp(h)\nadd_into(y, out=h)\nreturn y",
    "result_that_is_not_saved": "y = square(h)\ny += 1\nreturn y",
    "input_that_is_not_saved": "y = exp(h)\nh += 1\nreturn y",
    "second_result": "a, b = both(h, x)\nb += 1\nreturn a + b",
    "schema": "y = torch.exp(h)\ntorch.ops.SPACE.add_to(h, y)\nreturn y",
    "nothing_is_changed": "y = torch.exp(h)\nz = torch.ops.SPACE.square(y)\nreturn z + y",
}
ALL = [*BAD, *(f"good_{name}" for name in GOOD)]
NAMES = "fill, add_into, anything, square, exp, both, double"


def program(name: str) -> str:
    lines = GOOD[name.removeprefix("good_")] if name.startswith("good_") else BAD[name]
    body = "\n".join(f"        {line}" for line in lines.splitlines())
    return f"""\
import torch
from operators import {NAMES}
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = self.fc(x)
{body}


if __name__ == "__main__":
    Net()(torch.randn(3, 4)).sum().backward()
"""


def expected(text: str) -> set[tuple[int, str]]:
    rows = enumerate(text.splitlines(), 1)
    return {(row, line[line.index("# IPL") + 2 :]) for row, line in rows if "# IPL" in line}


def findings(tmp_path: Path, text: str) -> set[tuple[int, str]]:
    found = examine(str(tmp_path / "net.py"), text.encode(), Settings(root=str(tmp_path)))
    return {(one.location.row, one.code) for one in found}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_torch_agrees(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    space = f"declared_{name}"  # what is registered stays so as long as the process lives
    (tmp_path / "operators.py").write_text(OPERATORS.replace("SPACE", space))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "operators", raising=False)
    text = compile(program(name).replace("SPACE", space), name, "exec", dont_inherit=True)
    torch.manual_seed(0)
    if name.startswith("good_"):
        exec(text, {"__name__": "__main__"})
    else:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            exec(text, {"__name__": "__main__"})


@pytest.mark.parametrize("name", ALL)
def test_operators_of_another_file_are_known(name: str, tmp_path: Path) -> None:
    (tmp_path / "operators.py").write_text(OPERATORS)
    text = program(name)
    assert findings(tmp_path, text) == expected(text)


@pytest.mark.parametrize("name", ALL)
def test_operators_of_the_same_file_are_known(name: str, tmp_path: Path) -> None:
    text = OPERATORS + program(name).replace(f"from operators import {NAMES}\n", "")
    assert findings(tmp_path, text) == expected(text)


@pytest.mark.parametrize("name", ["write_by_the_namespace", "schema", "good_schema", "schema_of_a_library"])
def test_operators_that_an_imported_package_registers_are_known(name: str, tmp_path: Path) -> None:
    package = tmp_path / "kernels"
    package.mkdir()
    (package / "__init__.py").write_text("from . import operators\nfrom .operators import *\n")
    (package / "operators.py").write_text(OPERATORS)
    text = program(name).replace(f"from operators import {NAMES}\n", "import kernels\n")
    assert findings(tmp_path, text) == expected(text)


def test_the_file_that_makes_operators_has_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path, OPERATORS) == set()


def test_an_operator_that_changes_what_it_does_not_name_is_told(tmp_path: Path) -> None:
    text = """\
import torch
from torch import Tensor


@torch.library.custom_op("mine::fill", mutates_args=("x",))
def fill(x: Tensor, y: Tensor) -> None:
    x.fill_(1)
    y.fill_(1)
"""
    assert findings(tmp_path, text) == {(6, "IPL004")}


@pytest.mark.filterwarnings("ignore")
def test_torch_calls_such_an_operator_wrong() -> None:
    torch = pytest.importorskip("torch")
    text = """\
import torch


@torch.library.custom_op("declared_otherwise::fill", mutates_args=())
def fill(x: torch.Tensor) -> None:
    x.fill_(1)
"""
    names: dict[str, object] = {}
    exec(compile(text, "word.py", "exec", dont_inherit=True), names)
    with pytest.raises(Exception, match="mutated"):
        torch.library.opcheck(names["fill"], (torch.zeros(3),), test_utils="test_schema")


def test_what_cannot_be_read_declares_nothing(tmp_path: Path) -> None:
    text = """\
import torch
from torch import Tensor

NAMES = ("x",)


@torch.library.custom_op("mine::fill", mutates_args=NAMES)
def fill(x: Tensor) -> None:
    launch(x)


@torch.library.custom_op(f"mine::{NAMES}", mutates_args=("y",))
def other(x: Tensor) -> None:
    launch(x)


torch.library.define("mine::odd", "no schema")
torch.library.define("mine::odd")
torch.library.define()


def use(x):
    y = torch.exp(x)
    fill(y)
    other(y)
    torch.ops.mine.odd(y)
    torch.ops.mine.nobody(y)
    torch.ops.mine
    return y
"""
    assert findings(tmp_path, text) == set()


PART = st.sampled_from(
    [
        "Tensor",
        "(a!)",
        "(a)",
        "[]",
        "?",
        " x",
        " y",
        ",",
        "(",
        ")",
        "->",
        " ",
        "=",
        "[1, 2]",
        "int",
        "*",
        "::",
        "é",
        "'",
    ]
)


@given(st.lists(PART, max_size=14).map("".join))
@settings(max_examples=150)
def test_any_schema_is_read_or_passed_over(schema: str) -> None:
    text = f"""\
import torch
from torch.library import Library, custom_op, define

define("mine::f", {schema!r})
library = Library({schema!r}, "DEF")
library.define({schema!r})


@custom_op("mine::g", mutates_args=(), schema={schema!r})
def g(x):
    return x.clone()


@custom_op({schema!r}, mutates_args="unknown")
def h(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


def use(x):
    y = torch.exp(x)
    return g(y) + h(y) + torch.ops.mine.f(y)
"""
    assert "IPL002" not in [one.code for one in examine("a.py", text.encode(), Settings())]
