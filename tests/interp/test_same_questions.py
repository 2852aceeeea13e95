"""A question about what does not change has one answer in all rounds of a loop, and one that may change has several."""

from __future__ import annotations

import operator

import pytest

from inplace_lint.torchmodel.spelling import OF_SHAPES, QUESTIONS

from .in_torch import told

torch = pytest.importorskip("torch")

ROUNDS = """\
import os
import random
import torch
from torch import nn


class Trainer:
    def __init__(self, cfg, opt, flag=False, name="x", rate=0.0, kinds=()):
        self.cfg, self.opt, self.flag, self.name, self.rate, self.kinds = cfg, opt, flag, name, rate, kinds

    def train(self, a, b, x0, key):
        enc, dec = nn.Linear(3, 3), nn.Linear(3, 3)
        optimizer = torch.optim.SGD(dec.parameters(), 0.1)
        step, found = 0, []
        for x in torch.ones(4, 2, 3):
            if {question}:
                loss = (dec(enc(x)).exp() * enc(x)).sum()
            loss.backward(retain_graph=True)
            optimizer.step()
            step += 1
            found.append(step)
"""
#: Asked of what nothing in the loop changes: then no loss is left over from the round before.
THE_SAME = (
    *(
        "a",
        "not a",
        "a.b",
        "a.b.c",
        'a["k"]',
        'a["k"]["j"]',
        'a.get("k")',
        'a.get("k", False)',
        'a.get("k") == 3',
    ),
    *(
        'hasattr(a, "b")',
        'getattr(a, "b", None)',
        "callable(a.b)",
        "type(a.b) is int",
        "a.b == b.c",
        "a == b",
        "a < b",
    ),
    *("a.b + 1 > 3", "a.b % 2 == 0", "a % 2", "-a.b > 1", "a.b / 2 > 1", "abs(a.b) > 1", "max(a.b, 1) > 1"),
    *(
        'a.startswith("x")',
        'a.b.lower() == "x"',
        '"x" in a.b',
        'a.b in ("x", "y")',
        "str(a.b) == '1'",
        "int(a) > 1",
    ),
    *(
        "len(a) > 1",
        "any(a.b)",
        "isinstance(a, (list, tuple))",
        "isinstance(a.b, dict)",
        "a.b is True",
        "a[0] == 1",
    ),
    *(
        "x0.dim() == 3",
        "x0.size(0) > 1",
        "x0.ndim > 2",
        "x0.shape[0] == 1",
        "x0.dtype == torch.float16",
        "x0.is_cuda",
    ),
    *(
        "self.cfg.b",
        'self.cfg["b"]',
        'self.cfg.get("b", 1) == 2',
        "self.opt.mode",
        "self.opt.lr > 0",
        "self.flag",
    ),
    *(
        'self.name == "y"',
        "self.rate > 0",
        "self.kinds",
        '"p" in self.kinds',
        "a.b and a.c or a.d",
        "a.b < 3 < a.c",
    ),
    *('os.environ.get("X")', 'os.getenv("X") == "1"', '"X" in os.environ', "torch.cuda.is_available()"),
    *("torch.distributed.is_initialized()", "torch.distributed.get_rank() == 0", "(a.b or 3) > 2"),
)
#: Asked of what a round of the loop, or unknown code, may change.
ANOTHER = (
    *("step % 2 == 0", "len(found) % 2 == 0", "random.random() < 0.5", "a.ask()", "self.ask(a)"),
    *(
        "a.pop() == 1",
        "a.get() == 1",
        "next(a) == 1",
        "x.sum() > 0",
        "x[0, 0] > 0",
        "step % a == 0",
        "a.b(step)",
    ),
)


@pytest.mark.parametrize("question", THE_SAME)
def test_what_does_not_change_is_the_same_in_each_round(question: str) -> None:
    assert told(ROUNDS.format(question=question)) == []


@pytest.mark.parametrize("question", ANOTHER)
def test_what_may_change_may_be_another_in_each_round(question: str) -> None:
    assert told(ROUNDS.format(question=question)) == ["IPL106"]


EITHER = """\
import os
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, cfg, opt, kinds=()):
        super().__init__()
        self.cfg, self.opt, self.kinds = cfg, opt, kinds
        self.flag, self.rate, self.name = cfg.flag, cfg.rate, cfg.name
        self.inner = nn.Linear(3, 3)

    def forward(self, x, a, b, x0, key):
        y = self.inner(x).sigmoid()
        if {question}:
            y = y.mul_(2)
        if not ({question}):
            y = y.add_(2)
        return y
"""


@pytest.mark.parametrize("question", THE_SAME)
def test_both_answers_are_looked_at_and_exclude_each_other(question: str) -> None:
    assert told(EITHER.format(question=question)) == ["IPL101", "IPL101"]


CHANGED = """\
import torch
from torch import nn


class Counter:
    def __init__(self):
        self.count, self.seen = 0, []

    def next(self, number):
        self.count = number
        self.seen.append(number)


def train(number, others):
    enc, dec, counter = nn.Linear(3, 3), nn.Linear(3, 3), Counter()
    optimizer = torch.optim.SGD(dec.parameters(), 0.1)
    loss = (dec(enc(torch.ones(2, 3))).exp()).sum()
    if {question}:
        return
    optimizer.step()
    counter.next(number)
    others.append(number)
    if {question}:
        loss.backward()
"""


@pytest.mark.parametrize(
    "question",
    [
        *('getattr(counter, "count", 0) == 3', "counter.count == number", "len(counter.seen) == number"),
        *("number in counter.seen", "sum(counter.seen) == number"),
        *("any(others)", "sum(others) == 3", "len(others) > 3", "max(others) > 3", "number in others"),
    ],
)
def test_what_an_object_holds_is_asked_anew_once_it_has_changed(question: str) -> None:
    """The second answer may be yes after a first no: then the backward comes after the step."""
    assert told(CHANGED.format(question=question)) == ["IPL106"]


def test_what_is_said_of_torch_is_so() -> None:
    """The questions exist, and the answers of tensors are the same whatever their elements are."""
    for dotted in QUESTIONS:
        assert callable(operator.attrgetter(dotted.removeprefix("torch."))(torch))
    x = torch.rand(2, 3)
    before = {name: getattr(x, name)() for name in OF_SHAPES}
    assert {name: getattr(x.neg_().zero_(), name)() for name in OF_SHAPES} == before


def test_a_method_is_pure_however_it_is_called() -> None:
    program = ROUNDS.replace("step, found = 0, []", "step, found, starts = 0, [], a.startswith")
    assert told(program.format(question='starts("x")')) == []
