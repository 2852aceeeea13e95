"""What a function registers on a layer of torch is that layer's own, and no weight of it: judged in torch."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from .in_torch import told

PROGRAM = """\
import torch
from torch import nn


class Normed:
    def __call__(self, layer, inputs):
        u = layer.{buffer}
        with torch.no_grad():
            {write}
        layer.weight = layer.weight_orig * 2.0


def normed(layer):
    weight = layer._parameters.pop("weight")
    layer.register_parameter("weight_orig", weight)
    layer.weight = weight.data
    layer.register_buffer("{buffer}", torch.randn(3))
    layer.register_forward_pre_hook(Normed())
    return layer


first, second = normed(nn.Linear(3, 3)), normed(nn.Linear(3, 3))
x = torch.randn(2, 3)
loss = second(first(x)).sum() + second(first(x + 1)).sum()
loss.backward()
"""


@pytest.mark.parametrize("buffer", ["weight_u", "u", "bias_scale"])
@pytest.mark.parametrize("write", ["u.copy_(torch.ones(3))", "u = u.clone()", "u += 1"])
def test_a_buffer_of_a_layer_is_written(buffer: str, write: str) -> None:
    program = PROGRAM.format(buffer=buffer, write=write)
    exec(program, {})  # torch refuses nothing
    assert told(program) == []
