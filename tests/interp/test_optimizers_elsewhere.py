"""An optimizer of another package steps the parameters that it was made of: judged in torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

#: Another package, which is not among the files of the project.
ELSEWHERE = """import torch


class Steps(torch.optim.SGD):
    pass


class Average:
    # keeps a mean of the parameters, and changes none
    def __init__(self, parameters, decay=0.9):
        self.kept = [p.detach().clone() for p in parameters]

    def step(self, parameters):
        for one, p in zip(self.kept, parameters):
            one.lerp_(p.detach(), 0.1)

    update = step


class Watch:
    # has the methods of an optimizer, and steps nothing that it was made of
    def __init__(self, kind, parameters):
        self.kind = kind

    def step(self, number):
        pass


class Mean:
    # of a module, and its step changes nothing of that: it has no zero_grad
    def __init__(self, module):
        self.module = module

    def step(self):
        pass


def total(parameters):
    return sum(p.numel() for p in parameters)


def made_for(options, parameters):
    return Steps(parameters, lr=options["lr"])


def made_of(module, lr=0.1):
    return Steps(module.parameters(), lr=lr)


def made_of_options(options, module):
    return Steps(module.parameters(), lr=options["lr"])
"""
PROGRAM = """import torch
from torch import nn
from optimizers_elsewhere import Average, Mean, Steps, Watch, made_for, made_of, made_of_options, total


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.other = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))


def program():
    net = Net()
    optimizer = {made}
    x = torch.randn(2, 4)
    first = net.body(x).sum()
    second = net.body(x).pow(2).sum()
    first.backward(retain_graph=True)
    {step}
    second.backward()
"""
#: How it is made, what steps it, and whether that changes what the second backward needs.
WAYS = {
    "parameters": ("Steps(net.parameters(), lr=0.1)", "optimizer.step()", True),
    "by keyword": ("Steps(params=net.body.parameters(), lr=0.1)", "optimizer.step()", True),
    "list": ("Steps(list(net.body.parameters()), 0.1)", "optimizer.step()", True),
    "groups": ('Steps([{"params": net.body.parameters()}], lr=0.1)', "optimizer.step()", True),
    "filtered": (
        "Steps(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)",
        "optimizer.zero_grad(); first = net.body(x).sum(); first.backward(); optimizer.step()",
        True,
    ),
    "after options": ("made_for({'lr': 0.1}, net.body.parameters())", "optimizer.step()", True),
    "after options, another's": ("made_for({'lr': 0.1}, net.other.parameters())", "optimizer.step()", False),
    "module": (
        "made_of(net)",
        "optimizer.zero_grad(); first = net.body(x).sum(); first.backward(); optimizer.step()",
        True,
    ),
    "part of a module": ("made_of(net.body)", "optimizer.zero_grad(False); optimizer.step()", True),
    "another part": ("made_of(net.other)", "optimizer.zero_grad(); optimizer.step()", False),
    "module after options": (
        "made_of_options({'lr': 0.1}, net)",
        "optimizer.zero_grad(); first = net.body(x).sum(); first.backward(); optimizer.step()",
        True,
    ),
    "watched": ("Watch('x', net.parameters())", "optimizer.step(1)", False),
    "mean": ("Mean(net)", "optimizer.step()", False),
    "another's": ("Steps(net.other.parameters(), lr=0.1)", "optimizer.step()", False),
    "not stepped": ("Steps(net.parameters(), lr=0.1)", "optimizer.zero_grad()", False),
    "average": ("Average(net.parameters())", "optimizer.step(net.parameters())", False),
    "updated": ("Average(net.parameters())", "optimizer.update(net.parameters())", False),
    "counted": ("total(net.parameters())", "assert optimizer > 1", False),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_optimizer_of_another_package(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, step, raises = WAYS[way]
    text = PROGRAM.format(made=made, step=step)
    elsewhere = tmp_path / "site"
    elsewhere.mkdir()
    (elsewhere / "optimizers_elsewhere.py").write_text(ELSEWHERE)
    monkeypatch.syspath_prepend(str(elsewhere))
    space: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), space)
    program = space["program"]
    assert callable(program)
    if raises:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            program()
    else:
        program()
    folder = tmp_path / "project"
    folder.mkdir()
    found = check_source(str(folder / "program.py"), text.encode(), Settings(), Project(root=str(folder)))
    codes = {one.code for one in found if one.severity != "note"}
    assert codes == ({"IPL106"} if raises else set())
