"""A clone of the expanded tensor has memory of its own."""

import torch


def attention_bias(length, batch, slopes):
    bias = torch.zeros(1, 1, length).expand(batch, length, length).clone()
    bias += slopes.view(1, length, 1)
    return bias


attention_bias(3, 2, torch.rand(3))
