import torch


def hippo_diag(n):
    return -(torch.arange(n, dtype=torch.float) + 1)
