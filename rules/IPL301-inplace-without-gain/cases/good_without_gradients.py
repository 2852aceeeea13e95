"""Where no gradients are recorded nothing is cloned."""

import torch
import torch.nn.functional as F


@torch.no_grad()
def predict(weight, x):
    return F.silu(x @ weight, inplace=True)


predict(torch.randn(4, 4, requires_grad=True), torch.randn(2, 4))
noise = torch.rand(3)
noise.clamp_(0.1, 0.9)
