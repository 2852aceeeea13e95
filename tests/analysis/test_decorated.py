"""A method is run as its decorator leaves it."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

TEXT = """import functools

import torch
from torch import nn


def guarded(fn):
    @functools.wraps(fn)
    def wrapper(self, *args, **kwargs):
        with torch.{mode}():
            return fn(self, *args, **kwargs)

    return wrapper


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    @guarded
    def predict(self, x):
        probs = self.fc(x).softmax(-1)
        probs /= probs.sum(-1, keepdim=True)
        return probs
"""


@pytest.mark.parametrize(("mode", "codes"), [("no_grad", []), ("enable_grad", ["IPL101"])])
def test_grad_mode_that_a_decorator_of_the_project_sets_counts(mode: str, codes: list[str]) -> None:
    found = check_source("net.py", TEXT.format(mode=mode).encode(), Settings(), Project())
    assert [one.code for one in found if one.severity == "error"] == codes
