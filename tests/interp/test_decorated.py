"""A method is run as its decorator leaves it."""

from __future__ import annotations

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

TEXT = b"""import functools

import torch
from torch import nn


def evaluation(fn):
    @functools.wraps(fn)
    def wrapper(self, *args, **kwargs):
        was = self.training
        self.eval()
        try:
            with torch.no_grad():
                return fn(self, *args, **kwargs)
        finally:
            self.train(was)

    return wrapper


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)

    @evaluation
    def predict(self, x):
        probs = self(x).softmax(-1)
        probs /= probs.sum(-1, keepdim=True)
        return probs


if __name__ == "__main__":
    net = Net()
    net(torch.randn(5, 4)).sum().backward()
    net.predict(torch.randn(5, 4))
"""


def test_grad_mode_that_a_decorator_of_the_project_sets_counts() -> None:
    found = check_source("net.py", TEXT, Settings(), Project())
    assert [one.code for one in found if one.severity == "error"] == []


def errors(text: bytes) -> list[str | None]:
    return [
        one.code for one in check_source("net.py", text, Settings(), Project()) if one.severity == "error"
    ]


DOCUMENTED = b"""import torch

REST = []


def describe(fn, depth):
    lines = []
    for word in (fn.__doc__ or "").split():
        if word.isupper():
            lines.append(word * depth)
        elif len(word) > 3:
            lines.append(word)
        else:
            REST.append(word)
    fn.__doc__ = " ".join(lines)
    return fn


def documented(fn=None, *, depth=1):
    def decorator(one):
        if depth > 1:
            return describe(one, depth)
        else:
            return describe(one, 1)

    if fn:
        return decorator(fn)
    return decorator


BODY

def train(x, w):
    w.requires_grad_(True)
    loss = gate(x @ w)
    loss.sum().backward()
"""


def test_a_function_is_seen_under_a_decorator_that_hands_it_back() -> None:
    """Its own outcome of what it is called with is followed, and not what the decorator makes of its docstring."""
    body = b"%sdef gate(x):\n    y = torch.sigmoid(x)\n    y.mul_(2)\n    return y\n"
    for decorator in (b"", b"@documented\n", b"@documented()\n", b"@documented(depth=3)\n"):
        assert errors(DOCUMENTED.replace(b"BODY", body % decorator)) == ["IPL101"]


CACHED = b"""import functools
import importlib

import torch


DECORATOR
def offers(name="fast"):
    found = importlib.util.find_spec(name) is not None
    for _ in range(3):
        if found and name.startswith("_"):
            return False
    return found


def gate(x, w):
    w.requires_grad_(True)
    h = x @ w
    if offers():
        y = torch.sigmoid(h)
    else:
        y = h * 2
    CALL
        y = y.clone()
    y.mul_(2)
    y.sum().backward()
"""


def test_a_cached_function_answers_each_call_as_the_first() -> None:
    """Saved if it says yes, and copied if it says yes: both together only where it is asked twice for one answer."""
    for decorator in (b"@functools.cache", b"@functools.lru_cache", b"@functools.lru_cache(maxsize=None)"):
        text = CACHED.replace(b"DECORATOR", decorator)
        assert errors(text.replace(b"CALL", b"if offers():")) == []
        assert errors(text.replace(b"CALL", b"if not offers():")) == ["IPL101"]
        assert errors(text.replace(b"CALL", b"if offers('slow'):")) == ["IPL101"]


TABLES = b"""import functools

import torch


@functools.cache
def table(n):
    return torch.zeros(n)


def fill(x):
    x.requires_grad_(True)
    h = torch.exp(x)
    h.add_(1)  # worth a run
    y = table(4) * h
    table(4).add_(1)
    y.sum().backward()
"""


def test_a_cached_function_gives_one_tensor() -> None:
    assert errors(TABLES) == ["IPL101", "IPL102"]
    assert errors(TABLES.replace(b"@functools.cache\n", b"")) == ["IPL101"]
    assert errors(TABLES.replace(b"table(4).add_", b"table(5).add_")) == ["IPL101"]
