"""A training loop in a base class steps before the second backward; what it computes is up to the subclass."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

TEXT = """class Base:
    def __init__(self, models, criterion):
        self.mask, self.task = models
        self.criterion = criterion

    def train(self, loader, optimizers):
        of_mask, of_task = optimizers
        for inputs in loader:
            x, y = self.parse(inputs)
            first, second = self.losses(x, y)
            of_task.zero_grad()
            first.backward({retain})
            of_task.step()
            total = {total}
            of_mask.zero_grad()
            total.backward()
            of_mask.step()

    def parse(self, inputs):
        raise NotImplementedError

    def losses(self, x, y):
        raise NotImplementedError


class Trainer(Base):
    def parse(self, inputs):
        x, y = inputs
        return x.cuda(), y.cuda()

    def losses(self, x, y):
        f = self.task(x)
        score = self.mask(f.detach())
        return self.criterion(f, y), score.mean()
"""


@pytest.mark.parametrize(
    ("retain", "total", "codes"),
    [("retain_graph=True", "first + 5 * second", ["IPL106"]), ("", "5 * second", [])],
)
def test_a_loop_of_a_base_class_is_read_for_its_subclass(retain: str, total: str, codes: list[str]) -> None:
    text = TEXT.format(retain=retain, total=total)
    found = check_source("trainer.py", text.encode(), Settings(), Project())
    assert [one.code for one in found] == codes
