import torch
from torch import nn


class CenterBank(nn.Module):
    """Class centers held as a buffer and moved by an exponential average."""

    def __init__(self, n, dim, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        c = torch.empty(n, dim)
        nn.init.orthogonal_(c)
        self.register_buffer("centers", c)
        self.register_buffer("counts", torch.zeros(n))

    @torch.no_grad()
    def batch_means(self, x, assign):
        n = self.centers.size(0)
        onehot = x.new_zeros(x.size(0), n).scatter_(1, assign.unsqueeze(1), 1.0)
        num = onehot.sum(0)
        means = onehot.t() @ x
        means /= num.clamp(min=1).unsqueeze(1)
        return means, num

    @torch.no_grad()
    def update(self, x, assign):
        means, num = self.batch_means(x, assign)
        target = torch.where(num.unsqueeze(1) > 0, means, self.centers)
        torch.lerp(target, self.centers, self.momentum, out=self.centers)  # BUG
        self.counts.add_(num)
