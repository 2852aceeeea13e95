"""learning to learn by gradient descent by gradient descent, tiny version"""
import torch
import torch.nn as nn


class Quadratic:
    def __init__(self, n=6, m=4):
        self.W = torch.randn(n + m, n + m)
        self.y = torch.randn(n + m)
        self.groups = [(0, n), (n, n + m)]   # "layers"
        self.size = n + m

    def loss(self, theta):
        return ((self.W @ theta - self.y) ** 2).sum()


class LearnedOptimizer(nn.Module):
    def __init__(self, hidden=10, scale=0.05):
        super().__init__()
        self.hidden = hidden
        self.scale = scale
        self.cell = nn.LSTMCell(2, hidden)
        self.out = nn.Linear(hidden, 1)

    def init_state(self, n):
        return torch.zeros(n, self.hidden), torch.zeros(n, self.hidden)

    @staticmethod
    def preprocess(g, p=10.0):
        big = (g.abs() > torch.exp(torch.tensor(-p))).float()
        a = big * g.abs().clamp(min=1e-8).log() / p - (1 - big)
        b = big * g.sign() + (1 - big) * g * torch.exp(torch.tensor(p))
        return torch.stack([a, b], dim=1)

    def forward(self, grad, state, groups):
        hx, cx = state
        feats = self.preprocess(grad)
        updates = []
        for lo, hi in groups:
            h, c = self.cell(feats[lo:hi], (hx[lo:hi], cx[lo:hi]))
            hx[lo:hi] = h  # BUG
            cx[lo:hi] = c
            updates.append(self.out(h).squeeze(1) * self.scale)
        return torch.cat(updates), (hx, cx)


def unroll(opt_net, task, steps):
    theta = torch.randn(task.size, requires_grad=True)
    state = opt_net.init_state(task.size)
    total = 0.
    for _ in range(steps):
        loss = task.loss(theta)
        total = total + loss
        # first order: the optimizee's gradient is a constant input
        g, = torch.autograd.grad(loss, theta, retain_graph=True)
        upd, state = opt_net(g.detach(), state, task.groups)
        theta = theta + upd
    return total / steps


torch.manual_seed(0)
opt_net = LearnedOptimizer()
meta = torch.optim.Adam(opt_net.parameters(), lr=1e-3)
for epoch in range(5):
    meta.zero_grad()
    meta_loss = unroll(opt_net, Quadratic(), steps=10)
    meta_loss.backward()
    meta.step()
    print(epoch, meta_loss.item())
