import torch


class StateStore:
    """Holds the hidden state of each layer between calls."""

    def __init__(self, layers, batch, width):
        self.h = [torch.zeros(batch, width) for _ in range(layers)]

    def get(self, i):
        return self.h[i]

    def put(self, i, value, keep=None):
        if keep is not None:
            value.mul_(keep.unsqueeze(-1))  # BUG
        self.h[i] = value

    def detach(self):
        self.h = [h.detach() for h in self.h]
