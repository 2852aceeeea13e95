"""A method that uses what another method of the class has set up, which somebody elsewhere calls; judged in torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

CLASSES = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, dim))

    def forward(self, x):
        return self.body(x).exp()


def make_net(dim):
    return Net(dim)


class Base:
    def __init__(self):
        self.net = None
        self.optimizer = None

{trainer}
"""
#: How the network and its optimizer are set up.
TRAINERS = {
    "in init": """class Trainer(Base):
    def __init__(self, dim=4):
        super().__init__()
        self.setup(dim)

    def setup(self, dim):
        self.net = Net(dim)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
""",
    "later": """class Trainer(Base):
    def __init__(self, dim=4):
        super().__init__()
        self.dim = dim

    def setup(self):
        self.net = Net(self.dim).to("cpu")
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
""",
    "never mentioned before": """class Trainer:
    def setup(self, dim=4):
        self.net = nn.DataParallel(make_net(dim))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
""",
    "by two methods": """class Trainer(Base):
    def setup(self):
        self.build(4)
        self.prepare()

    def build(self, dim):
        self.net = make_net(dim)

    def prepare(self):
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
""",
    "by a base": """class Middle(Base):
    def setup(self):
        self.net = nn.Sequential(Net(4), Net(4))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)


class Trainer(Middle):
    pass
""",
}
METHODS = {
    "step": "self.net(x).mean().backward(retain_graph=True); self.optimizer.step(); out.mean().backward()",
    "write": "out /= 2; out.mean().backward()",
    "clean": "self.optimizer.zero_grad(); out.mean().backward(); self.optimizer.step()",
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("trainer", TRAINERS)
def test_what_another_method_sets_up_is_known(tmp_path: Path, trainer: str, method: str) -> None:
    made = TRAINERS[trainer]
    if trainer == "by a base":
        made = made.replace("    pass\n", "")
    made += f"\n    def step(self, x):\n        out = self.net(x)\n        {METHODS[method]}\n"
    text = CLASSES.format(trainer="\n" + made)
    found = check_source(str(tmp_path / "trainer.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert _raises(text) == (method != "clean")
    assert any(one.severity == "error" for one in found) == (method != "clean"), found


def _raises(text: str) -> bool:
    names: dict[str, object] = {"__name__": "trainer"}
    exec(compile(text, "trainer.py", "exec"), names)
    trainer = names["Trainer"]()  # type: ignore[operator]
    if trainer.net is None if hasattr(trainer, "net") else True:
        trainer.setup()
    try:
        trainer.step(torch.randn(3, 4))
    except RuntimeError as error:
        return "inplace" in str(error) or "in-place" in str(error)
    return False
