"""A finding at a call names the argument that the called function writes, not the first one."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.model import Diagnostic
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

PROGRAM = """import torch


def clean(x, weight=None):
    {write}
    return x, weight


def mean(value, weight):
    weight = torch.broadcast_to(weight, value.shape)
    kept, weights = {call}
    return (kept * weights).sum()
"""


def told(text: str) -> list[Diagnostic]:
    return check_source("a.py", text.encode(), Settings(), Project(root="."))


CALLS = ["clean(value, weight)", "clean(weight=weight, x=value)", "clean(value, weight=weight)"]


@pytest.mark.parametrize("write", ["weight[torch.isnan(x)] = 1", "weight.mul_(2)"])
@pytest.mark.parametrize("call", CALLS)
def test_the_written_argument_is_named(write: str, call: str) -> None:
    found = told(PROGRAM.format(write=write, call=call))
    assert [one.message.partition(" was ")[0] for one in found if one.code == "IPL105"] == ["`weight`"]


def test_the_first_argument_is_named_where_it_is_written() -> None:
    found = told(PROGRAM.format(write="x[0] = 1", call="clean(weight, value)"))
    assert [one.message.partition(" was ")[0] for one in found if one.code == "IPL105"] == ["`weight`"]
