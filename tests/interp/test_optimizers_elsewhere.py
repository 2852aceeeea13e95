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


def total(parameters):
    return sum(p.numel() for p in parameters)
"""
PROGRAM = """import torch
from torch import nn
from optimizers_elsewhere import Average, Steps, total


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
