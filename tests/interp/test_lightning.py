"""Training by hand in a Lightning module: torch says whether a step comes before a backward that still needs it."""

from __future__ import annotations

import sys
import types

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch
from torch import nn
import pytorch_lightning as pl


def net(width):
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, width))


class Gan(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.make, self.judge = net(4), net(1)

    def configure_optimizers(self):
        make = torch.optim.Adam(self.make.parameters())
        judge = torch.optim.Adam(self.judge.parameters())
        return {returned}

    def training_step(self, batch, index):
        make, judge = self.optimizers()
        x, y = batch
        fake = self.make(x)
        seen = self.judge({given})
        judge.zero_grad()
        self.manual_backward(self.judge(y).mean() - seen.mean(), retain_graph=True)
        judge.step()
        make.zero_grad()
        self.manual_backward({again})
        make.step()
"""
RETURNED = {
    "two": "make, judge",
    "a list": "[make, judge]",
    "with schedulers": "[make, judge], [torch.optim.lr_scheduler.ConstantLR(make)]",
    "dicts": '({"optimizer": make}, {"optimizer": judge})',
}
#: What the judge sees at first, what the second backward begins at.
STEPS = {
    "the judge is not asked again": ("fake", "-seen.mean()"),
    "good: it is asked again": ("fake.detach()", "-self.judge(fake).mean()"),
}


def _stub() -> types.ModuleType:
    """What the text uses of Lightning."""

    class LightningModule(torch.nn.Module):  # type: ignore[misc,name-defined]
        def optimizers(self) -> list[object]:
            made = self.configure_optimizers()
            made = made[0] if isinstance(made[0], list) else made
            return [one["optimizer"] if isinstance(one, dict) else one for one in made]

        def manual_backward(self, loss: object, **options: object) -> None:
            loss.backward(**options)  # type: ignore[attr-defined]

    stub = types.ModuleType("pytorch_lightning")
    stub.LightningModule = LightningModule  # type: ignore[attr-defined]
    return stub


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("returned", RETURNED)
def test_training_by_hand(monkeypatch: pytest.MonkeyPatch, returned: str, step: str) -> None:
    given, again = STEPS[step]
    text = TEXT.format(returned=RETURNED[returned], given=given, again=again)
    monkeypatch.setitem(sys.modules, "pytorch_lightning", _stub())
    names: dict[str, object] = {}
    exec(compile(text, "gan.py", "exec"), names)
    raised = False
    try:
        names["Gan"]().training_step((torch.rand(3, 4), torch.rand(3, 4)), 0)  # type: ignore[operator]
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
        assert raised, error
    assert raised is not step.startswith("good: ")
    found = [one.code for one in check_source("gan.py", text.encode(), Settings(), Project())]
    assert found == ["IPL106"] * raised
