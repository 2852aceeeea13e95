"""A mask is spread over the batch by `expand` and then added to."""

import torch


def attention_bias(padding, slopes):
    batch, length = padding.shape
    bias = torch.zeros(1, 1, length).expand(batch, length, length)
    bias = bias + slopes.view(1, length, 1)
    return bias.masked_fill(padding.unsqueeze(1), float("-inf"))


attention_bias(torch.zeros(2, 3, dtype=torch.bool), torch.rand(3))
