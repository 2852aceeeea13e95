import torch
from torch import nn


class SoftDTW(nn.Module):
    def __init__(self, gamma=1.0, learn_gamma=False):
        super().__init__()
        if learn_gamma:
            self.gamma = nn.Parameter(torch.tensor(float(gamma)))
        else:
            self.gamma = float(gamma)

    def softmin(self, *args):
        z = torch.stack([a / self.gamma for a in args], dim=0)
        return -self.gamma * torch.logsumexp(-z, dim=0)

    def forward(self, x, y):
        D = (x[:, :, None] - y[:, None, :]) ** 2
        b, n, m = D.shape
        R = torch.full((b, n + 1, m + 1), 1e4)
        R[:, 0, 0] = 0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                best = self.softmin(R[:, i - 1, j - 1], R[:, i - 1, j], R[:, i, j - 1])
                R[:, i, j] = D[:, i - 1, j - 1] + best  # BUG
        return R[:, n, m].mean()
