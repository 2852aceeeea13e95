"""How deep a function that calls itself is followed: a few levels where it goes down, and else no further."""

from __future__ import annotations

import textwrap

import pytest

from inplace_lint.checks import check_source
from inplace_lint.interp import program
from inplace_lint.interp.profile_counts import ProfileCounts
from inplace_lint.project import Project, Settings

PADDED = """
    import torch
    from torch import nn


    def pairs(value):
        return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


    def fits(kernel, stride=1, {rest}):
        if isinstance(kernel, (tuple, list)):
            return all([fits({given}) for one in zip(pairs(kernel), pairs(stride))])
        return stride == 1 and kernel % 2 == 1


    class Layer(nn.Module):
        def __init__(self, kernel):
            super().__init__()
            self.fits = fits(kernel, groups=2)

        def forward(self, x):
            y = torch.sigmoid(x)
            if self.fits:
                y += 1
            return y
"""
COUNTED = """
    import torch


    def passed(y, number):
        if number == 0:
            y.mul_(2)
            return y
        return passed(y, number - 1)


    def step(x):
        y = torch.sigmoid(x)
        passed(y, 3)
        y.sum().backward()
"""


def checked(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], dict[str, int]]:
    """The codes of the findings, and how often each function was gone through."""
    tally = ProfileCounts()
    monkeypatch.setattr(program.Program, "tally", tally)
    found = check_source("a.py", textwrap.dedent(text).encode(), Settings(), Project("."))
    times: dict[str, int] = {}
    for (_, _, name, _), count in tally.bodies.items():
        times[name] = times.get(name, 0) + count
    return [one.code for one in found], times


@pytest.mark.parametrize(
    ("rest", "given"), [("**_", "*one"), ("groups=1", "*one"), ("**_", "one[0], stride=one[1]")]
)
def test_numbers_and_no_options_that_are_handed_on_do_not_count_down(
    rest: str, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The elements of an option are no parts in sight: each level would go through the next twice."""
    codes, times = checked(PADDED.format(rest=rest, given=given), monkeypatch)
    assert codes == ["IPL101"]
    assert times["fits"] <= 3 * times["__init__"]


def test_a_number_that_counts_down_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, _ = checked(COUNTED, monkeypatch)
    assert "IPL101" in codes
