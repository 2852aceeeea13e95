"""A method that ends in `raise NotImplementedError` is up to a subclass: what comes after a call of it is looked at."""

from __future__ import annotations

import pytest

from inplace_lint import check

PROGRAM = """
import abc

import torch
from torch import nn


class Sampler{bases}:
    def __init__(self, scale=2.0):
        self.scale = scale

    {energy}

    def guided(self, x: torch.Tensor):
        x = torch.sigmoid(x)
        pull = self.energy(x)
        x {write}
        return x, pull


def sample(sampler: Sampler, x):
    return sampler.guided(x)[0].sum()
"""
#: How a method is left to subclasses.
LEFT = {
    "raise": "def energy(self, x):\n        raise NotImplementedError",
    "raise with words": 'def energy(self, x):\n        """Of x."""\n        raise NotImplementedError("energy")',
    "abstract": "@abc.abstractmethod\n    def energy(self, x): ...",
}


@pytest.mark.parametrize("energy", LEFT.values(), ids=LEFT)
@pytest.mark.parametrize("bases", ["", "(abc.ABC)", "(nn.Module)"])
@pytest.mark.parametrize("write, told", [("-= self.scale", True), ("= x - self.scale", False)])
def test_what_comes_after_a_method_of_subclasses(bases: str, energy: str, write: str, told: bool) -> None:
    found = check(PROGRAM.format(bases=bases, energy=energy, write=write)).diagnostics
    assert [one.code for one in found] == ["IPL101"] * told
