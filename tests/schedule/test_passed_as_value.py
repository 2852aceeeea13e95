"""A private method that is passed to code of another package is called by it: judged in torch."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import inplace_lint
from inplace_lint.schedule.callers import has_no_other_caller
from inplace_lint.syntax.module import Module

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn
from elsewhere import later


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        return {called}

    def _forward(self, x):
        x += self.norm(x)
        return x
"""


@pytest.mark.parametrize(
    ("decorator", "use", "only_called"),
    [("", "self._gate()", True), ("@property", "self._gate", True), ("", "later(self._gate)", False)],
)
def test_who_else_may_call_a_private_method(decorator: str, use: str, only_called: bool) -> None:
    source = f"""class Block:
    {decorator}
    def _gate(self):
        return self.given.relu_()

    def forward(self, x):
        return {use}
"""
    module = Module("a.py", source.encode())
    methods = module.classes["Block"].methods
    assert has_no_other_caller(module, methods["_gate"], {methods["forward"]}) is only_called


@pytest.mark.parametrize(
    ("called", "raises"),
    [
        ("later(self._forward, x)", True),
        ("self._forward(x)", True),
        ("self._forward(x.clone()) if False else x", False),
    ],
)
def test_private_method(called: str, raises: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    source = PROGRAM.format(called=called)
    monkeypatch.setitem(sys.modules, "elsewhere", SimpleNamespace(later=lambda run, x: run(x)))
    there: dict[str, type[torch.nn.Module]] = {}
    exec(source, there)
    x = torch.ones(2, 3, requires_grad=True) * 2
    if raises:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            there["Block"]()(x).sum().backward()
    else:
        there["Block"]()(x).sum().backward()
    found = [one.code for one in inplace_lint.check(source, filename="a.py").diagnostics]
    assert ("IPL102" in found) is raises
