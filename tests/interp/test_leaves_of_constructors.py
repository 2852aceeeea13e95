"""Tensors that a constructor makes leaves, in many ways, are leaves in other methods; torch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

#: How `self.w` is made.
MADE = (
    "self.w = torch.ones(4, requires_grad=True)",
    "self.w = torch.ones(4).requires_grad_()",
    "self.w = torch.ones(4); self.w.requires_grad = True",
    "w = torch.ones(4); w.requires_grad_(True); self.w = w",
    "self.w = torch.autograd.Variable(torch.ones(4), requires_grad=True)",
    "self.ws = [torch.ones(4, requires_grad=True) for _ in range(2)]; self.w = self.ws[0]",
    "self.p = {'w': torch.ones(4).requires_grad_()}; self.w = self.p['w']",
    "self.w = (torch.ones(4) * 2).detach().requires_grad_()",
    "self.w = torch.ones(4).to('cpu').requires_grad_()",
    "self.w = self.make()",
    "setattr(self, 'w', torch.ones(4).requires_grad_())",
    "self.w = torch.ones(4)",
    "self.w = torch.ones(4, requires_grad=True); self.w.requires_grad_(False)",
    "self.w = torch.ones(4).requires_grad_(); self.w.requires_grad = False",
    "self.w = torch.ones(4, requires_grad=True).detach()",
)
CLASSES = {
    "plain": "class A:\n    def __init__(self):\n        {made}\n",
    "module": "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {made}\n",
    "inherited": "class B:\n    def __init__(self):\n        {made}\n\n\nclass A(B):\n",
}
BODIES = {
    "exp": "h = (x * self.w).exp(); h += 1; return h",
    "columns": "p = torch.zeros(4, 3)\n        for t in (1, 2): p[:, t] = p[:, t - 1] * self.w + 1\n        return p",
    "out of place": "h = (x * self.w).exp(); h = h + 1; return h",
}
SOURCE = """\
import torch
from torch import nn


{cls}
    def make(self):
        return torch.ones(4).requires_grad_()

    def run(self, x):
        {body}
"""


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("made", MADE)
def test_what_a_constructor_makes_a_leaf_stays_one(made: str, body: str, cls: str, tmp_path: Path) -> None:
    """A write is told just where torch's backward raises."""
    source = SOURCE.format(cls=CLASSES[cls].format(made=made), body=BODIES[body])
    raises = False
    try:
        exec(
            compile(f"{source}\n\nA().run(torch.randn(2, 4)).sum().backward()\n", "case", "exec"),
            {"__name__": "m"},
        )
    except RuntimeError as error:
        raises = "modified by an inplace" in str(error)
        assert raises or "does not require grad" in str(error)
    found = check_source(str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == raises, (source, found)


#: Methods that set `self.w` after the constructor, and whether a method that runs later may count on a leaf.
SET_LATER = {
    "def reset(self): self.w = torch.ones(4, requires_grad=True)": True,
    "def reset(self): self.w = torch.ones(4).requires_grad_()": True,
    "def reset(self): w = torch.ones(4); w.requires_grad = True; self.w = w": True,
    "def reset(self): self.w = [torch.ones(4).requires_grad_()][0]": True,
    "def reset(self): self.w = torch.ones(4)  # not requires_grad=True": False,
    "def freeze(self): self.w = torch.ones(4, requires_grad=True).detach(); self.w.requires_grad_(False)": False,
}


@pytest.mark.parametrize("setter", SET_LATER)
def test_what_another_method_makes_a_leaf_is_one(setter: str) -> None:
    """`self.w` is None as the object is built: the one method that sets it comes first."""
    source = (
        f"import torch\n\n\nclass A:\n    def __init__(self):\n        self.w = None\n\n    {setter}\n\n"
        "    def run(self, n):\n        p = torch.zeros(n, 3)\n        for t in (1, 2):\n"
        "            p[:, t] = p[:, t - 1] * self.w + 1\n        return p\n"
    )
    found = check_source("case.py", source.encode(), Settings(), Project(root="."))
    assert any(one.severity == "error" for one in found) == SET_LATER[setter]


def test_a_method_that_freezes_is_not_run_to_know_an_attribute() -> None:
    """`freeze` sets what `forward` asks, and makes a leaf: the layer is taken as the constructor built it."""
    source = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.lin, self.extra, self.frozen = nn.Linear(4, 4), None, None\n\n"
        "    def freeze(self):\n        self.lin.requires_grad_(False)\n        self.frozen = True\n"
        "        self.extra = torch.ones(4, requires_grad=True)\n\n"
        "    def forward(self, x):\n        h = self.lin(x).sigmoid()\n        if self.frozen:\n            return h\n"
        "        h *= 2\n        return h\n"
    )
    found = check_source("case.py", source.encode(), Settings(), Project(root="."))
    assert [one.code for one in found] == ["IPL101"]
