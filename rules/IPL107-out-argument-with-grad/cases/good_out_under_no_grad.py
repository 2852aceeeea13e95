"""While nothing is recorded `out=` is allowed."""

import torch
from torch import nn


@torch.no_grad()
def evaluate(layer, batches):
    scores = torch.empty(2, 3)
    total = torch.zeros(2, 3)
    for batch in batches:
        torch.matmul(batch, layer.weight.t(), out=scores)
        total += scores
    return total


if __name__ == "__main__":
    evaluate(nn.Linear(4, 3), [torch.randn(2, 4), torch.randn(2, 4)])
