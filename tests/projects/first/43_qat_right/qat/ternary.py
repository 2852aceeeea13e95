import torch


class TernaryOp:
    """Writes the quantised weights into .data for forward and backward, then puts them back."""

    def __init__(self, params):
        self.params = params
        self.saved = [p.data.clone() for p in params]

    def quantise(self):
        for s, p in zip(self.saved, self.params):
            s.copy_(p.data)
            t = 0.7 * p.data.abs().mean()
            p.data.copy_(torch.sign(p.data) * (p.data.abs() > t))

    def restore(self):
        for s, p in zip(self.saved, self.params):
            p.data.copy_(s)

    def update_grad(self):
        for p in self.params:
            p.grad.data.mul_(p.data.abs().le(1).float())

    def __enter__(self):
        self.quantise()
        return self

    def __exit__(self, *exc):
        self.restore()
