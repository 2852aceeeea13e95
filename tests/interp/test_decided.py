"""Tests that Python decides for constants and containers are decided here too, so that one arm is left: in torch."""

from __future__ import annotations

from typing import Any

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

PROGRAM = """import collections.abc
import enum
import numbers
import typing
from collections.abc import Hashable, Mapping, Sequence

import torch
from torch import nn


def choose(given):
    if {test}:
        return nn.Softplus
    return nn.Sigmoid


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.act = choose({given})()

    def forward(self, x):
        y = self.act(self.inner(x))
        y += 1
        return y
"""
GIVEN = [
    '"word"',
    "3",
    "2.5",
    "None",
    '("elu", {"alpha": 1.0})',
    '["a"]',
    '{"a": 1}',
    "{1, 2}",
    "nn.ReLU()",
    "nn.ReLU().parameters()",
    "choose",
]
TESTS = [
    "isinstance(given, Hashable)",
    "isinstance(given, Mapping)",
    "isinstance(given, Sequence)",
    "isinstance(given, (enum.EnumMeta, collections.abc.Set))",
    "isinstance(given, numbers.Number)",
    "isinstance(given, typing.Mapping)",
    'given == "word"',
    "given != None",
    "given == 3",
    "type(given) == str",
    "type(given) is int",
    "isinstance(given, str)",
]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("given", GIVEN)
def test_only_the_arm_that_python_takes(given: str, test: str) -> None:
    source = PROGRAM.format(given=given, test=test)
    there: dict[str, Any] = {}
    exec(source, there)
    raises = isinstance(there["Net"]().act, torch.nn.Sigmoid)
    assert spoils(there["Net"]()(torch.ones(2, 3))) == raises
    found = told(source)
    # Where a test is left open, the faulty arm may be taken: only then may something be told that does not happen.
    assert found == (["IPL101"] if raises or (given, test) in OPEN else [])


#: Not decided: whether a layer is hashable.
OPEN = {("nn.ReLU()", TESTS[0])}

INDEXED = PROGRAM.replace(
    "    if {test}:\n        return nn.Softplus\n    return nn.Sigmoid", "    return {given}[{test}]"
)


@pytest.mark.parametrize(
    ("choices", "raises"),
    [
        ("(nn.Softplus, nn.Tanhshrink)", False),
        ("(nn.Softplus, nn.Sigmoid)", True),
        ("[nn.Tanh, nn.Sigmoid]", True),
    ],
)
def test_any_of_a_short_tuple_at_an_unknown_index(choices: str, raises: bool) -> None:
    source = INDEXED.format(given=choices, test="given - 1").replace(
        "__init__(self)", "__init__(self, kind=2)"
    )
    source = source.replace(f"choose({choices})", "choose(kind)")
    there: dict[str, Any] = {}
    exec(source, there)
    assert spoils(there["Net"](2)(torch.ones(2, 3))) == raises
    assert told(source) == (["IPL101"] if raises else [])


BY_TYPE = """import torch
from torch import nn
from elsewhere import layer


def of_all(fn, tree):
    if isinstance(tree, tuple):
        return tuple(fn(one) for one in tree)
    elif isinstance(tree, torch.Tensor):
        return fn(tree)
    raise ValueError


class Net(nn.Module):
    def forward(self, x):
        out = None
        for i in range(2):
            part = {call}(x[i : i + 1])
            kind = type(part)
            if out is None:
                out = of_all(lambda one: one.new_zeros(2, 3), part)
            if {test}:
                for row, one in zip(out, part):
                    row[i] = one[0]
            else:
                out[i] = part[0]
        return out
"""


@pytest.mark.parametrize(
    ("call", "test", "flagged"),
    [
        ("layer", "kind is tuple", False),
        ("layer", "tuple == kind", False),
        ("layer", "kind is not torch.Size and isinstance(part, tuple)", False),
        ("layer", "torch.is_tensor(part)", True),
        ("layer", "kind is not tuple", True),
        ("self.layer", "kind is tuple", False),
        ("self.layer", "kind is not tuple", True),
    ],
)
def test_what_a_call_returns_is_of_one_class_in_all_rounds(call: str, test: str, flagged: bool) -> None:
    # If it is a tensor, the rows of `out` are views of one op, and to write one of them raises.
    assert told(BY_TYPE.format(call=call, test=test)) == (["IPL104"] if flagged else [])
