"""Counters of loops start at 0: a test that no round passes guards nothing, one that some round passes is taken.

Python says of each condition whether a round of two nested loops, of three rounds each, passes it.
"""

from __future__ import annotations

import pytest

import inplace_lint

_CONDITIONS = """
i < 0
i >= 0
i > -1
i == -1
i <= -1
i != -1
j < 0 and i > 0
0 > j
k < 0
j < k + i
i == 0 and j < k + i
i == 0 and j >= k and j < k + i
i == 0 and j < i * 4
i == 0 and j > i * 4
i > 0 and j < k + i
k + i == 0
j - i < 0 and i == 0
""".strip().splitlines()

_PROGRAM = """import torch


def f(w, xs, ys):
    h = torch.sigmoid(w)
    k = 0
    for i, x in enumerate(xs):
        for j, y in enumerate(ys):
            if {}:
                h += 1
        k += i
    h.sum().backward()
"""


def _is_passed(condition: str) -> bool:
    k, passed = 0, False
    for i in range(3):
        passed = passed or any(eval(condition, {"i": i, "j": j, "k": k}) for j in range(3))
        k += i
    return passed


@pytest.mark.parametrize("condition", _CONDITIONS)
def test_a_write_is_told_if_some_round_makes_it(condition: str) -> None:
    found = [one.code for one in inplace_lint.check(_PROGRAM.format(condition)).diagnostics]
    assert found == (["IPL101"] if _is_passed(condition) else [])


def test_a_round_reads_what_earlier_rounds_have_put_into_a_list() -> None:
    program = """import torch
from torch import nn


class Skips(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(4, 4, 1) for _ in range(count)])
        self.skips = nn.ModuleList([nn.Conv1d(4, 4, 1) for _ in range(count * (count - 1) // 2)])

    def forward(self, x):
        outputs, first = [x], 0
        for index, layer in enumerate(self.layers):
            for i, skip in enumerate(self.skips):
                if i >= first and i < first + index:
                    x += skip(outputs[i - first])
            first += index
            x = layer(x)
            outputs.append(x)
        return x
"""
    assert not inplace_lint.check(program).diagnostics
