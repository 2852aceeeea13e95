import numpy as np
import torch
import torch.nn as nn
from torch.autograd import Function


def compute_softdtw(D, gamma):
    N, M = D.shape
    R = np.full((N + 2, M + 2), 1e8)
    R[0, 0] = 0
    for j in range(1, M + 1):
        for i in range(1, N + 1):
            r = -np.array([R[i - 1, j - 1], R[i - 1, j], R[i, j - 1]]) / gamma
            rmax = r.max()
            softmin = -gamma * (np.log(np.exp(r - rmax).sum()) + rmax)
            R[i, j] = D[i - 1, j - 1] + softmin
    return R


def compute_softdtw_backward(D_, R, gamma):
    N, M = D_.shape
    D = np.zeros((N + 2, M + 2))
    E = np.zeros((N + 2, M + 2))
    D[1:N + 1, 1:M + 1] = D_
    E[-1, -1] = 1
    R[:, -1] = -1e8
    R[-1, :] = -1e8
    R[-1, -1] = R[-2, -2]
    for j in range(M, 0, -1):
        for i in range(N, 0, -1):
            a = np.exp((R[i + 1, j] - R[i, j] - D[i + 1, j]) / gamma)
            b = np.exp((R[i, j + 1] - R[i, j] - D[i, j + 1]) / gamma)
            c = np.exp((R[i + 1, j + 1] - R[i, j] - D[i + 1, j + 1]) / gamma)
            E[i, j] = E[i + 1, j] * a + E[i, j + 1] * b + E[i + 1, j + 1] * c
    return E[1:N + 1, 1:M + 1]


class _SoftDTW(Function):
    @staticmethod
    def forward(ctx, D, gamma):
        g = float(gamma)
        R = compute_softdtw(D.detach().numpy().astype(np.float64), g)
        ctx.save_for_backward(D, torch.from_numpy(R))
        ctx.gamma = g
        return D.new_tensor(R[-2, -2])

    @staticmethod
    def backward(ctx, grad_output):
        D, R = ctx.saved_tensors
        R_ = R.numpy().copy()
        E = compute_softdtw_backward(D.detach().numpy().astype(np.float64), R_, ctx.gamma)
        out = torch.from_numpy(E).to(D)
        out *= grad_output
        return out, None


class SoftDTW(nn.Module):
    def __init__(self, gamma=1.0, normalize=False):
        super().__init__()
        self.gamma, self.normalize = gamma, normalize

    def dist(self, x, y):
        d = x.unsqueeze(1) - y.unsqueeze(0)
        return d.pow_(2).sum(2)

    def forward(self, x, y):
        out = _SoftDTW.apply(self.dist(x, y), self.gamma)
        if self.normalize:
            out = out - 0.5 * _SoftDTW.apply(self.dist(x, x), self.gamma)
            out -= 0.5 * _SoftDTW.apply(self.dist(y, y), self.gamma)
        return out


if __name__ == "__main__":
    torch.manual_seed(51)
    torch.set_num_threads(1)
    D = torch.rand(4, 5, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda d: _SoftDTW.apply(d, 0.7), (D,))
    net = nn.GRU(1, 8)
    head = nn.Linear(8, 1)
    opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 2e-2)
    crit = SoftDTW(0.5, normalize=True)
    t = torch.linspace(0, 3, 9)
    for it in range(5):
        shift = torch.rand(1)
        x, y = torch.sin(t)[:, None], torch.sin(t + shift)[:, None]
        h, _ = net(x)
        loss = crit(head(h), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, round(loss.item(), 4))
