"""Diagonal linear recurrence layers for sequence regression."""
from typing import Sequence
import torch
import torch.nn as nn


def hippo_like_init_(a):
    with torch.no_grad():
        a.copy_(torch.arange(1, a.shape[-1] + 1).float())
        a.log_()
        a.add_(0.05 * torch.randn_like(a))
    return a


class DiagonalRecurrence(nn.Module):
    def __init__(self, dim, state):
        super().__init__()
        self.log_rate = nn.Parameter(torch.empty(dim, state))
        hippo_like_init_(self.log_rate)
        self.B = nn.Parameter(torch.randn(dim, state) * state ** -0.5)
        self.C = nn.Parameter(torch.randn(dim, state) * state ** -0.5)
        self.skip = nn.Parameter(torch.ones(dim))
        self.log_dt = nn.Parameter(torch.zeros(dim, 1))

    def coefficients(self):
        dt = self.log_dt.exp()
        decay = torch.exp(-dt * self.log_rate.exp())
        return decay, dt * self.B

    def forward(self, u):
        n, length, dim = u.shape
        decay, drive = self.coefficients()
        h = u.new_zeros(n, dim, self.B.shape[1])
        y = u.new_empty(n, length, dim)
        for t in range(length):
            h = decay * h + drive * u[:, t, :, None]
            y[:, t] = (h * self.C).sum(-1)
        y += self.skip * u
        return y


class ResidualStack(nn.Module):
    def __init__(self, dim, state, depth):
        super().__init__()
        self.cells = nn.ModuleList(DiagonalRecurrence(dim, state) for _ in range(depth))
        self.mlps = nn.ModuleList(nn.Linear(dim, 2 * dim) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))

    def forward(self, x):
        for cell, mlp, norm in zip(self.cells, self.mlps, self.norms):
            a, b = mlp(cell(norm(x))).chunk(2, -1)
            x = x + a * b.sigmoid()
        return x


class SequenceRegressor(nn.Module):
    def __init__(self, fin, dim=6, state=3, depth=2):
        super().__init__()
        self.inp = nn.Linear(fin, dim)
        self.body = ResidualStack(dim, state, depth)
        self.out = nn.Linear(dim, 1)

    def forward(self, x, lengths: Sequence[int]):
        h = self.body(self.inp(x))
        last = torch.tensor(lengths) - 1
        return self.out(h[torch.arange(len(x)), last]).squeeze(-1)


def pad(seqs):
    lengths = [len(s) for s in seqs]
    block = torch.zeros(len(seqs), max(lengths), seqs[0].shape[-1])
    for i, s in enumerate(seqs):
        block[i, :len(s)] = s
    return block, lengths


def step(model, opt, seqs):
    x, lengths = pad(seqs)
    target = torch.stack([s.mean() for s in seqs])
    loss = (model(x, lengths) - target).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()


# --- driver ---
torch.manual_seed(40)
model = SequenceRegressor(2)
opt = torch.optim.Adam(model.parameters(), 1e-2)
step(model, opt, [torch.randn(5, 2), torch.randn(7, 2), torch.randn(3, 2)])
step(model, opt, [torch.randn(4, 2), torch.randn(2, 2)])
