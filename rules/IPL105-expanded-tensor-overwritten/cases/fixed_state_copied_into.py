"""Hidden states start as one expanded row, and the first result is copied into them."""

import torch


def run(steps, width):
    state = torch.zeros(1, width).expand(4, width)
    state = state.clone()
    for step in steps:
        state.copy_(torch.tanh(step))
    return state


run([torch.randn(4, 3), torch.randn(4, 3)], 3)
