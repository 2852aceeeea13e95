"""vit_pytorch 1.26.11, vit_pytorch/vit_nd_pope.py:84: a parameter is filled in place in `__init__`.

Raises as soon as the module is built with `init_learned_bias_uniform=True`.
"""

from math import pi

import torch
from torch import nn


class PolarEmbedding(nn.Module):
    def __init__(self, heads: int, dim_head: int, init_learned_bias_uniform: bool = False) -> None:
        super().__init__()
        self.learned_bias = nn.Parameter(torch.zeros(heads, dim_head))
        if init_learned_bias_uniform:
            self.learned_bias.uniform_(-2.0 * pi, 0.0)


PolarEmbedding(2, 4)
try:
    PolarEmbedding(2, 4, init_learned_bias_uniform=True)
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
