import torch


def step(x: torch.Tensor) -> torch.Tensor:
    h = torch.tanh(x)
    h = h * 2  # right: `h *= 2` would make backward raise
    return h
