import torch


class Interval:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def random_points(self, n, include_ends=True):
        x = torch.rand(n, 1, requires_grad=True)
        if include_ends:
            x[0], x[-1] = 0.0, 1.0  # BUG
        return self.left + (self.right - self.left) * x
