"""`load_state_dict` on a network that is only seen called writes what these calls saved; torch runs each case."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

#: The body of `run(net, other, opt, x)`, and whether its backward raises.
BODIES = {
    "between forward and backward": (
        "loss = net(x).sum()\nnet.load_state_dict(other.state_dict())\nloss.backward()",
        True,
    ),
    "after the backward": (
        "loss = net(x).sum()\nloss.backward()\nnet.load_state_dict(other.state_dict())",
        False,
    ),
    "before the forward": (
        "net.load_state_dict(other.state_dict())\nloss = net(x).sum()\nloss.backward()",
        False,
    ),
    "into another network": (
        "loss = net(x).sum()\nother.load_state_dict(net.state_dict())\nloss.backward()",
        False,
    ),
    "into one that recorded nothing": (
        "with torch.no_grad():\n    t = other(x)\nloss = (net(x) - t).sum()\n"
        "other.load_state_dict(net.state_dict())\nloss.backward()",
        False,
    ),
    "into an optimizer": (
        "loss = net(x).sum()\nopt.load_state_dict(opt.state_dict())\nloss.backward()",
        False,
    ),
    "back and forth in a helper": (
        "loss = net(x).sum()\nkept = {k: v.clone() for k, v in net.state_dict().items()}\n"
        "net.load_state_dict(other.state_dict())\nwith torch.no_grad():\n    y = net(x)\n"
        "net.load_state_dict(kept)\n(loss + y.sum()).backward()",
        True,
    ),
}


def program(body: str) -> str:
    lines = "\n    ".join(body.splitlines())
    return f"import torch\n\n\ndef run(net, other, opt, x):\n    {lines}\n"


@pytest.mark.parametrize("name", BODIES)
def test_torch_agrees(name: str) -> None:
    torch = pytest.importorskip("torch")
    body, raises = BODIES[name]
    space: dict[str, object] = {}
    exec(compile(program(body), "program", "exec"), space)
    nets = [
        torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.Linear(3, 3)) for _ in range(2)
    ]
    optimizer = torch.optim.SGD(nets[0].parameters(), lr=0.1)
    raised = False
    try:
        space["run"](*nets, optimizer, torch.randn(2, 3))  # type: ignore[operator]
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
    assert raised is raises


@pytest.mark.parametrize("name", BODIES)
def test_found_where_it_raises(name: str, tmp_path: Path) -> None:
    body, raises = BODIES[name]
    path = tmp_path / "program.py"
    found = check_source(str(path), program(body).encode(), Settings(), Project(root=str(tmp_path)))
    assert {one.code for one in found if one.severity == "error"} == ({"IPL106"} if raises else set())
