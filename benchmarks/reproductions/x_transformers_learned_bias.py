"""x_transformers 2.31.10, x_transformers/x_transformers.py:936: a parameter is filled in place in `__init__`.

Raises as soon as the module is built with `bias_uniform_init=True`.
"""

import math

import torch
from torch import nn


class PolarEmbedding(nn.Module):
    def __init__(self, dim: int, heads: int, bias_uniform_init: bool = False) -> None:
        super().__init__()
        self.learned_bias = nn.Parameter(torch.zeros(heads, 1, dim))
        if bias_uniform_init:
            self.learned_bias.uniform_(-2.0 * math.pi, 0.0)


PolarEmbedding(4, 2)
try:
    PolarEmbedding(4, 2, bias_uniform_init=True)
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
