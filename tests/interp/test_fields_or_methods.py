"""Options that are named like methods of tensors are fields where nothing calls them, and the same at each use."""

from __future__ import annotations

import ast

import pytest

import inplace_lint
from inplace_lint.torchmodel import table

from .in_torch import told

torch = pytest.importorskip("torch")

#: Names of options that tensors, modules, optimizers or arrays have as well, and one that none of them has.
NAMES = (
    *("mode", "size", "norm", "dim", "std", "type", "max", "clip", "where", "index", "kind"),
    *("data", "T", "H", "real", "step", "parameters", "modules", "get", "pop", "astype", "minimize"),
)
CONDITIONS = (
    "args.{}",
    "not args.{}",
    "args.{} == 'x'",
    "args.{} != 3",
    "args.{} > 3",
    "args.{} is None",
    "args.{} in ('a', 'b')",
    "args.{} not in ['a', 'b']",
    "args.{} and args.other",
    "isinstance(args.{}, int)",
    "len(args.{}) > 1",
    "bool(args.{})",
)

ROUNDS = """\
import torch
from torch import nn


def train(args):
    enc, dec = nn.Linear(3, 3), nn.Linear(3, 3)
    optimizer = torch.optim.SGD(dec.parameters(), 0.1)
    for x in torch.ones(4, 2, 3):
        if {condition}:
            loss = (dec(enc(x)).exp() * enc(x)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_option_is_the_same_in_each_round(condition: str, name: str) -> None:
    """So that no loss is left over from the round before."""
    assert told(ROUNDS.format(condition=condition.format(name))) == []


EITHER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args, self.inner = args, nn.Linear(3, 3)

    def forward(self, x, args):
        y = self.inner(x).sigmoid()
        if {condition}:
            y = y.mul_(2)
        else:
            y = y.add_(2)
        return y
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_both_outcomes_of_an_option_are_looked_at(condition: str, name: str) -> None:
    assert told(EITHER.format(condition=condition.format(name))) == ["IPL101", "IPL101"]


def test_most_of_the_names_are_those_of_tensors() -> None:
    of_tensors = [name for name in NAMES if hasattr(torch.Tensor, name)]
    assert [n for n in NAMES if table.method(n) or table.property_(n)] == of_tensors
    assert len(of_tensors) == 14


CALLED = """\
import torch


def f(a, flag):
    b, x = torch.ones(3, requires_grad=True).sigmoid(), a
    x = b if flag else a
    {call}
    return b.sum()
"""
#: Calls of a method of a tensor or of something unknown.
CALLS = (
    "x.mul_(2)",
    "m = x.mul_\n    m(2)",
    "m = x.mul_ if flag else b.mul_\n    m(2)",
    "getattr(x, 'mul_')(2)",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_method_that_is_called_later_is_one(call: str) -> None:
    source = CALLED.format(call=call)
    ast.parse(source)
    assert "IPL101" in {one.code for one in inplace_lint.check(source, "a.py").diagnostics}
