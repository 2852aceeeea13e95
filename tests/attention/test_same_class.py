"""Objects of one class are told apart: a fix never takes the queries for the keys because one class computes both.

Each program is run in torch before and after its fix, and has to give the same.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from inplace_lint.attention.terms import Term, Terms
from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

from .compare import applied
from .written import difference

CLASSES = """\
import copy

import torch
from torch import nn


class Projection(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weights = nn.Linear(size, size)

    def forward(self, x):
        return torch.relu(self.weights(x))


class Wrapped(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = Projection(size)

    def forward(self, x):
        return self.inner(x)


class Product(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size))

    def forward(self, x):
        return x @ self.weight


class Scaled(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


class Chain(nn.Sequential):
    def __init__(self, size):
        super().__init__()
        self.add_module("first", nn.Linear(size, size))
        self.add_module("second", nn.Tanh())


class Noisy(nn.Module):
    def forward(self, x):
        return x + torch.randn_like(x)


def projection(size):
    return Projection(size)


class Attention(nn.Module):
    def __init__(self, size, count=3):
        super().__init__()
"""
PROGRAM = (
    CLASSES
    + """\
        {init}

    def forward(self, x):
        {projected}
        scores = torch.matmul(query, key.transpose(-2, -1)).softmax(-1)
        return torch.matmul(scores, value)
"""
)
DRIVER = "torch.manual_seed(0)\nRESULTS = [Attention(6)(torch.randn(2, 3, 5, 6)).detach()]\n"
EACH = "query, key, value = self.q(x), self.k(x), self.v(x)"
BY_INDEX = "query, key, value = self.parts[0](x), self.parts[1](x), self.parts[2](x)"
#: What `__init__` makes, and how the operands are computed from it.
FORMS = {
    "in one assignment": (
        "self.q, self.k, self.v = Projection(size), Projection(size), Projection(size)",
        EACH,
    ),
    "one by one": ("self.q = Projection(size); self.k = Projection(size); self.v = Projection(size)", EACH),
    "by a comprehension": ("self.q, self.k, self.v = [Projection(size) for _ in range(3)]", EACH),
    "as many as asked for": ("self.q, self.k, self.v = [Projection(size) for _ in range(count)]", EACH),
    "layers of torch, as many as asked for": (
        "self.q, self.k, self.v = [nn.Linear(size, size) for _ in range(count)]",
        EACH,
    ),
    "by a function": ("self.q, self.k, self.v = map(projection, [size] * 3)", EACH),
    "copies": (
        "self.q = Projection(size); self.k = copy.deepcopy(self.q); self.v = Projection(size)\n"
        "        nn.init.normal_(self.k.weights.weight)",
        EACH,
    ),
    "one object by two names": ("self.q = self.k = Projection(size); self.v = Projection(size)", EACH),
    "in each other": ("self.q, self.k, self.v = Wrapped(size), Wrapped(size), Wrapped(size)", EACH),
    "parameters of their own": (
        "self.q, self.k, self.v = Product(size), Product(size), Product(size)",
        EACH,
    ),
    "numbers of their own": ("self.q, self.k, self.v = Scaled(1.0), Scaled(2.0), Scaled(0.5)", EACH),
    "numbers that are set later": (
        "self.q, self.k, self.v = Scaled(1.0), Scaled(1.0), Scaled(1.0); self.k.factor = 5.0",
        EACH,
    ),
    "a chain of one": (
        "self.q, self.k, self.v = (nn.Sequential(Projection(size)) for _ in range(3))",
        EACH,
    ),
    "chains of a class of their own": (
        "self.q, self.k, self.v = Chain(size), Chain(size), Chain(size)",
        EACH,
    ),
    "chains that are mapped": (
        "self.q, self.k, self.v = Chain(size), Chain(size), Chain(size)",
        "query, key, value = map(lambda part: part(x), (self.q, self.k, self.v))",
    ),
    "a list": ("self.parts = nn.ModuleList([Projection(size) for _ in range(3)])", BY_INDEX),
    "a list of unknown length": (
        "self.parts = nn.ModuleList([Projection(size) for _ in range(count)])",
        BY_INDEX,
    ),
    "a list that is unpacked": (
        "self.parts = nn.ModuleList([Projection(size) for _ in range(count)])",
        "a, b, c = self.parts; query, key, value = a(x), b(x), c(x)",
    ),
    "a list that is gone through": (
        "self.parts = nn.ModuleList([Projection(size) for _ in range(count)])",
        "query, key, value = (part(x) for part in self.parts)",
    ),
    "a list of layers that is gone through": (
        "self.parts = nn.ModuleList([nn.Linear(size, size) for _ in range(count)])",
        "query, key, value = (part(x) for part in self.parts)",
    ),
    "a list beside the operands": (
        "self.parts = nn.ModuleList([Projection(size) for _ in range(count)])",
        "query, key, value = [part(one) for part, one in zip(self.parts, (x, x, x))]",
    ),
    "made where they are used": (
        "self.size = size",
        "a, b, c = Projection(6), Projection(6), Projection(6); query, key, value = a(x), b(x), c(x)",
    ),
    "random numbers": (
        "self.noise = Noisy()",
        "query, key, value = self.noise(x), self.noise(x), self.noise(x)",
    ),
    "random numbers, drawn in a row": (
        "self.drop = nn.Dropout(0.5)",
        "query, key, value = [self.drop(x) for _ in range(3)]",
    ),
    "random numbers of a generator": (
        "self.size = size",
        "query, key, value = (x + torch.randn(5, 6) for _ in range(3))",
    ),
    "parameters of a list": (
        "self.parts = nn.ParameterList([nn.Parameter(torch.randn(size, size)) for _ in range(count)])",
        "query, key, value = (x @ part for part in self.parts)",
    ),
    "random numbers of a map": (
        "self.drop = nn.Dropout(0.5)",
        "query, key, value = map(self.drop, (x, x, x))",
    ),
    "a buffer that is written": (
        "self.register_buffer('count', torch.zeros(5, 6))",
        "query = x + self.count; self.count.add_(1); key = x + self.count; self.count[0] = 5; value = x + self.count",
    ),
    "a number in a list": (
        "self.count = [0]",
        "query = x + self.count[0]; self.count[0] += 1; key = x + self.count[0]; self.count[0] += 1; value = x",
    ),
    "a number in a dict": (
        "self.count = dict(n=0)",
        "query = x + self.count['n']; self.count['n'] = 2; key = x + self.count['n']; value = x",
    ),
    "a number of an object": (
        "self.count = Scaled(0)",
        "query = x + self.count.factor; self.count.factor += 1; key = x + self.count.factor; value = x",
    ),
    "behind a function": (
        "self.q, self.k, self.v = Projection(size), Projection(size), Projection(size)",
        "call = lambda part: part(x); query, key, value = call(self.q), call(self.k), call(self.v)",
    ),
}


@pytest.mark.parametrize(("init", "projected"), FORMS.values(), ids=FORMS)
def test_a_fix_changes_nothing_where_one_class_computes_all_operands(init: str, projected: str) -> None:
    _check(init, projected)


@pytest.mark.parametrize(("init", "projected"), FORMS.values(), ids=FORMS)
def test_a_fix_reads_what_the_source_multiplies_even_if_all_objects_of_a_class_were_one(
    init: str, projected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Terms.__call__

    def told_apart_by_class_alone(self: Terms, op: str, *args: object, **rest: Any) -> Term:
        return made(self, op, *((args[0], None) if op == "instance" else args), **rest)

    monkeypatch.setattr(Terms, "__call__", told_apart_by_class_alone)
    _check(init, projected)


def _check(init: str, projected: str) -> None:
    source = PROGRAM.format(init=init, projected=projected)
    found = check_source("attention.py", source.encode(), Settings(), Project())
    (finding,) = [one for one in found if one.code == "IPL401"]
    assert finding.plan is not None
    fixed = applied(source, finding.plan.edits(source))
    assert difference(source + DRIVER, fixed + DRIVER) < 1e-5
