"""What a constructor keeps is compared with what the top level of the file, or the class, holds: as Python does it."""

from __future__ import annotations

from typing import Any

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

PROGRAM = """
from enum import Enum, IntEnum

import torch
import torch.nn.functional as F
from torch import nn


class Act(Enum):
    ELU = "elu"
    RELU = "relu"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Kind:
    def __init__(self, number):
        self.number = number


class Named(Kind):
    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return 3


def swish(x):
    return x * torch.sigmoid(x)


def cube(x):
    return x**3


FIRST, SECOND = Kind(1), Kind(1)
THIRD = Kind(1)
ALSO_THIRD = THIRD
NAMED, EQUAL = Named(1), Named(1)
LIST = [Kind(1), Kind(2)]
ACTS = {Act.ELU: 1, Act.RELU: 2}
KINDS = {THIRD: 1, NAMED: 2}
FUNCTIONS = {swish: 1, cube: 2, torch.exp: 3, F.relu: 4}


class Net(nn.Module):
    KEPT = THIRD

    def __init__(self):
        super().__init__()
        self.kept = KEPT

    def method(self, x):
        return x

    def other(self, x):
        return x

    def forward(self, x):
        if CONDITION:
            x = torch.exp(x)
        else:
            x = torch.sin(x)
        return x.add_(1)
"""
#: what the constructor keeps, and what `forward` asks of it
CASES = [
    ("Act.RELU", "self.kept is Act.RELU"),
    ("Act.RELU", "self.kept == Act.ELU"),
    ("Act.RELU", "self.kept in (Act.ELU, Act.RELU)"),
    ("Act.RELU", "self.kept not in [Act.ELU]"),
    ("Act.RELU", "ACTS[self.kept] == 2"),
    ("Act('relu')", "self.kept is Act.RELU"),
    ("Act['RELU']", "ACTS.get(self.kept) == 1"),
    ("Act.RELU", "self.kept.value == 'relu'"),
    ("Level.HIGH", "self.kept == Level.HIGH"),
    ("Level.HIGH", "self.kept == 1"),
    ("swish", "self.kept is swish"),
    ("swish", "self.kept == cube"),
    ("swish", "self.kept in (cube, swish)"),
    ("swish", "self.kept in (cube, torch.exp)"),
    ("swish", "FUNCTIONS[self.kept] == 1"),
    ("torch.exp", "FUNCTIONS[self.kept] == 3"),
    ("F.relu", "self.kept in {F.relu, F.gelu}"),
    ("F.relu", "FUNCTIONS[self.kept] == 1"),
    ("self.method", "self.kept == self.method"),
    ("self.method", "self.kept == self.other"),
    ("self.method", "self.kept in (self.other, self.method)"),
    ("THIRD", "self.kept is THIRD"),
    ("THIRD", "self.kept is ALSO_THIRD"),
    ("ALSO_THIRD", "self.kept is THIRD"),
    ("self.KEPT", "self.kept is THIRD"),
    ("THIRD", "self.kept == FIRST"),
    ("FIRST", "self.kept in (SECOND, THIRD)"),
    ("THIRD", "self.kept in (SECOND, THIRD)"),
    ("THIRD", "KINDS[self.kept] == 1"),
    ("NAMED", "self.kept == EQUAL"),
    ("NAMED", "self.kept is EQUAL"),
    ("NAMED", "self.kept in (FIRST, EQUAL)"),
    ("LIST[0]", "self.kept is LIST[0]"),
    ("LIST[0]", "self.kept in LIST"),
]


@pytest.mark.parametrize(("kept", "condition"), CASES)
def test_the_branch_that_python_takes_is_followed(kept: str, condition: str) -> None:
    """One branch saves what is written behind it, and the other does not; swapped, it is the other way round."""
    for one, other in (("exp", "sin"), ("sin", "exp")):
        source = PROGRAM.replace("= KEPT", f"= {kept}").replace("CONDITION", condition)
        source = source.replace("torch.exp(x)", "A").replace("torch.sin(x)", "B")
        source = source.replace("A\n", f"torch.{one}(x)\n").replace("B\n", f"torch.{other}(x)\n")
        names: dict[str, Any] = {}
        exec(compile(source, "a.py", "exec"), names)
        try:
            names["Net"]()(torch.ones(3, requires_grad=True)).sum().backward()
        except RuntimeError as error:
            assert "modified by an inplace operation" in str(error)
            assert told(source) == ["IPL101"]
        else:
            assert told(source) == [] or kept in ("LIST[0]", "NAMED")  # these are not decided


def test_an_op_with_several_results_may_raise() -> None:
    """A handler is run also where the `try` has nothing but the unpacked results of an op."""
    source = """
import torch


def decomposed(matrix):
    try:
        values, vectors = torch.linalg.eigh(matrix)
    except RuntimeError:
        values, vectors = torch.linalg.eigh(matrix * 2)
        values -= 1
    return values, vectors
"""
    assert told(source) == ["IPL101"]


CHOSEN = """
from enum import Enum

import torch
import torch.nn.functional as F


class Act(Enum):
    RELU = "relu"
    SILU = "silu"
    ELU = "elu"


def run(x, name):
    y = CALL
    return ACT(y, inplace=True)
"""


@pytest.mark.parametrize("call", ["torch.exp(x)", "torch.sin(x)"])
@pytest.mark.parametrize(
    "act",
    [
        "getattr(F, Act(name).value)",
        "getattr(F, Act[name.upper()].value)",
        "getattr(F, 'relu' if name == 'relu' else 'silu')",
        "{Act.RELU: F.relu, Act.SILU: F.silu, Act.ELU: F.elu}[Act(name)]",
        "{'relu': F.relu, 'silu': F.silu}['relu' if name == 'relu' else 'silu']",
        "{'relu': F.relu, 'silu': F.silu}.get('relu' if name == 'relu' else 'silu')",
        "(F.silu, F.relu)[1 if name == 'relu' else 0]",
        "vars(F)['relu' if name == 'relu' else 'silu']",
    ],
)
def test_a_function_that_an_unknown_member_chooses(act: str, call: str) -> None:
    """`Act(name)` may be each of the members: what each of them stands for is called."""
    source = CHOSEN.replace("CALL", call).replace("ACT", act)
    names: dict[str, Any] = {}
    exec(compile(source, "a.py", "exec"), names)
    result = names["run"](torch.ones(3, requires_grad=True), "relu")
    assert told(source) == (["IPL101"] if spoils(result) else [])
