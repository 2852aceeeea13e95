"""A function of another file saves what it is given and writes it: told at the call by which a gradient comes there.

Torch says whether backward raises. In its own file nothing is known of the argument, so that nothing is told there,
unless the function shows it by itself: then only there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.model import Diagnostic
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HELPERS = """import torch
from torch import nn


def halves(x):
    part = x[:, :2]
    kept = (part ** 2).sum()
    part[:, 0] = part[:, 0] * 2  # BUG
    return kept + part.sum()


def rows(x):
    total = 0
    for row in x.unbind(0):
        row.mul_(2)  # BUG
        total = total + row.sum()
    return total


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)

    def forward(self, x):
        return self.score(x).exp().mul_(2).mean()  # BUG


def through(x):
    return halves(x * 1) + 1


class Loss:
    def __call__(self, x):
        return self.weigh(x)

    def weigh(self, x):
        squared = x * x
        x -= 1  # BUG
        return squared.sum()


class Criterion(nn.Module):
    def forward(self, x):
        squared = x * x
        x.clamp_(min=0)  # BUG
        return squared.mean()


class Both:
    def __init__(self, net):
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.net = net

    def __call__(self, x):
        score = self.net(x * 2)
        (-score).mean().backward(retain_graph=True)
        self.optimizer.step()  # BUG
        return score.mean()


def clean(x):
    part = x[:, :2].clone()
    kept = part.sum()
    part[:, 0] = part[:, 0] * 2
    return kept + part.sum()
"""
SCRIPT = """import torch
from torch import nn
{imports}

net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
{before}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    out = net(torch.randn(3, 4))
    loss = {call}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
#: What is imported, what is made of it, and the call.
CALLS = {
    "function": ("from told_helpers import halves", "", "halves(out)"),
    "module": ("import told_helpers", "", "told_helpers.halves(out)"),
    "through another": ("from told_helpers import through", "", "through(out)"),
    "callable": ("from told_helpers import Loss", "criterion = Loss()", "criterion(out)"),
    "optimizer": (
        "from told_helpers import Both",
        "other = Both(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)))",
        "other(out)",
    ),
    "clean": ("from told_helpers import clean", "", "clean(out)"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_hazard_in_another_file_is_told_at_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    imports, before, call = CALLS[name]
    text = SCRIPT.format(imports=imports, before=before, call=call)
    (tmp_path / "told_helpers.py").write_text(HELPERS)
    found = _errors(tmp_path, "train.py", text)
    assert bool(found) == _raises(tmp_path, monkeypatch, text)
    assert all(one.fix is None for one in found)
    if found:
        (one,) = found
        assert text.splitlines()[one.location.row - 1].endswith(call)
        (write,) = (label for label in one.labels if label.role == "write")
        assert HELPERS.splitlines()[write.location.row - 1].endswith("# BUG")


@pytest.mark.parametrize(
    ("name", "before", "call", "row"),
    [
        ("Head", "head = Head()", "head(out)", "mul_(2).mean"),  # a layer of its own
        ("rows", "", "rows(out)", "row.mul_(2)"),  # it returns one number, as a loss does
        ("Criterion", "criterion = Criterion()", "criterion(out)", "x.clamp_"),
    ],
)
def test_what_the_function_shows_by_itself_is_told_there_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, before: str, call: str, row: str
) -> None:
    (tmp_path / "told_helpers.py").write_text(HELPERS)
    text = SCRIPT.format(imports=f"from told_helpers import {name}", before=before, call=call)
    assert _raises(tmp_path, monkeypatch, text)
    assert not _errors(tmp_path, "train.py", text)
    rows = [
        HELPERS.splitlines()[one.location.row - 1] for one in _errors(tmp_path, "told_helpers.py", HELPERS)
    ]
    assert [one for one in rows if row in one]


def _errors(project: Path, name: str, text: str) -> list[Diagnostic]:
    found = check_source(str(project / name), text.encode(), Settings(), Project(root=str(project)))
    return [one for one in found if one.severity == "error" and one.code.startswith("IPL1")]


def _raises(project: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> bool:
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.delitem(sys.modules, "told_helpers", raising=False)
    try:
        exec(compile(text, "train.py", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        return "inplace" in str(error)
    return False
