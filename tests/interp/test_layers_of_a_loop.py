"""Layers that a loop of unknown length appends, in the order of its rounds: torch says which orders it refuses."""

from __future__ import annotations

from itertools import permutations

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

LAYERS = ("nn.Linear(3, 3)", "nn.Tanh()", "nn.ReLU(True)", "nn.Dropout(0.5, inplace=True)", "nn.Softplus()")
PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, sizes, last=True):
        super().__init__()
        layers = [nn.Linear(3, 3)]
        for size in sizes:
            {rounds}
        self.body = {kept}

    def forward(self, x):
        {run}
        return x
"""
AS_ONE = ("nn.Sequential(*layers)", "x = self.body(x)")
ONE_BY_ONE = ("nn.ModuleList(layers)", "for layer in self.body:\n            x = layer(x)")
APPENDED = "layers.append({})\n            layers.append({})\n            layers.append({})"
ADDED = "layers += [{}, {}]\n            layers.append({})"
UNDER_A_TEST = """\
layers.append({})
            if size > 1:
                layers.append({})
            layers.append({})"""


#: How the layers are appended, and how they are run. (One by one, which of those under a test comes is not known.)
WAYS = {
    "appended, run as one": (APPENDED, AS_ONE),
    "added, run as one": (ADDED, AS_ONE),
    "under a test, run as one": (UNDER_A_TEST, AS_ONE),
    "appended, run one by one": (APPENDED, ONE_BY_ONE),
    "added, run one by one": (ADDED, ONE_BY_ONE),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layers", list(permutations(LAYERS, 3)), ids=" ".join)
def test_the_order_of_layers_decides(way: str, layers: tuple[str, ...]) -> None:
    form, (kept, run) = WAYS[way]
    source = PROGRAM.format(rounds=form.format(*layers), kept=kept, run=run)
    scope: dict[str, type[torch.nn.Module]] = {}
    exec(compile(source, "a.py", "exec"), scope)
    refused = any(
        spoils(scope["Net"](sizes)(torch.randn(4, 3))) for sizes in ([2, 2, 2], [1, 1, 1], [1, 2, 1])
    )
    assert bool(told(source)) == refused


def test_what_is_inserted_has_no_place() -> None:
    rounds = "layers.append(nn.Tanh())\n            layers.insert(1, nn.Dropout(0.5, inplace=True))"
    assert told(PROGRAM.format(rounds=rounds, kept=AS_ONE[0], run=AS_ONE[1])) == []
