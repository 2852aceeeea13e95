"""Modules that `functional_call` runs with other tensors as parameters, as in meta-learning; torch is the judge."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom torch import nn\nfrom torch.func import functional_call\n\n\n"
NETS = {
    "layers": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.lin, self.out = nn.Linear(4, 4), nn.Linear(4, 4)\n\n"
        "    def forward(self, x, scale=1.0):\n        return self.out(self.lin(x).tanh() * scale)\n"
    ),
    "own parameters": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w, self.b = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.zeros(4))\n\n"
        "    def forward(self, x, scale=1.0):\n        return (x @ self.w).tanh() * self.b * scale\n"
    ),
    "blocks": (
        "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.lin, self.gain = nn.Linear(4, 4), nn.Parameter(torch.ones(4))\n\n"
        "    def forward(self, x):\n        return self.lin(x).relu() * self.gain\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.blocks = nn.ModuleList([Block() for _ in range(2)])\n\n"
        "    def forward(self, x, scale=1.0):\n        for block in self.blocks:\n            x = x + block(x)\n"
        "        return x * scale\n"
    ),
}
MAKES = {
    "own": "params = dict(net.named_parameters())",
    "another's": "params = dict(other.named_parameters())",
    "copies": "params = {k: p.detach().clone().requires_grad_() for k, p in net.named_parameters()}",
    "adapted": (
        "params = dict(net.named_parameters())\n"
        "loss = functional_call(net, params, (x,)).pow(2).mean()\n"
        "grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)\n"
        "params = {k: p - 0.1 * g for (k, p), g in zip(params.items(), grads)}"
    ),
}
CALLS = {
    "a tuple": "out = functional_call(net, params, (x,))",
    "one tensor": "out = functional_call(net, params, x)",
    "keywords": "out = functional_call(net, params, args=(x,), kwargs={'scale': 2.0})",
    "several dicts": "out = functional_call(net, (params, {}), (x,))",
    "then the module itself": "out = functional_call(net, params, (x,)) + net(x)",
}
WRITES = {
    "nothing": "pass",
    "the module's": "with torch.no_grad():\n    for p in net.parameters():\n        p.mul_(0.9)",
    "the dict's": "with torch.no_grad():\n    for p in params.values():\n        p.mul_(0.9)",
    "a step": "opt.step()",
    "the other's step": "torch.optim.SGD(other.parameters(), lr=0.1).step()",
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("called", CALLS)
@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("net", NETS)
def test_it_saves_the_parameters_that_it_is_given(
    net: str, make: str, called: str, write: str, tmp_path: Path
) -> None:
    """A write of parameters is told where torch's backward raises: of the given ones, not of those they stand for."""
    body = "\n".join((MAKES[make], CALLS[called], WRITES[write], "out.pow(2).sum().backward()"))
    source = (
        f"{HEAD}{NETS[net]}\n\nnet, other = Net(), Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        f"x = torch.randn(2, 4)\n(net(x) + other(x)).sum().backward()\n{body}\n"
    )
    try:
        exec(compile(source, "case", "exec"), {})
    except RuntimeError as error:
        assert "modified by an inplace" in str(error)
        raises = True
    else:
        raises = False
    findings = check_source(
        str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path))
    )
    assert any(one.severity == "error" for one in findings) == raises, (indent(source, "    "), findings)


@pytest.mark.parametrize("layer", ["lin", "out"])
def test_each_layer_keeps_its_own_parameters(layer: str, tmp_path: Path) -> None:
    """With the module's own parameters in the dict, a write to a layer's weight is one to what that layer saved."""
    source = (
        f"{HEAD}{NETS['layers']}\n\nnet = Net()\nx = torch.randn(2, 4, requires_grad=True)\n"
        "out = functional_call(net, dict(net.named_parameters()), (x,))\n"
        f"with torch.no_grad():\n    net.{layer}.weight.mul_(2)\nout.sum().backward()\n"
    )
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        exec(compile(source, "case", "exec"), {})
    findings = check_source(
        str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path))
    )
    assert [one.code for one in findings if one.severity == "error"] == ["IPL102"]
