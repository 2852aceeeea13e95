import math

import torch
from torch import nn
import torch.nn.functional as F


def scan_reference(u, delta, A, B, C, D):
    """u, delta: (b, l, d); A: (d, n); B, C: (b, l, n)."""
    b, l, d = u.shape
    n = A.shape[1]
    dA = torch.exp(delta.unsqueeze(-1) * A)
    dBu = delta.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
    states = dBu.new_zeros(b, l + 1, d, n)
    for t in range(l):
        states[:, t + 1] = dA[:, t] * states[:, t] + dBu[:, t]  # BUG
    y = torch.einsum("bldn,bln->bld", states[:, 1:], C)
    return y + u * D


class SelectiveSSM(nn.Module):
    def __init__(self, dim, state=4, rank=2):
        super().__init__()
        self.state, self.rank = state, rank
        self.x_proj = nn.Linear(dim, rank + 2 * state, bias=False)
        self.dt_proj = nn.Linear(rank, dim)
        self.A_log = nn.Parameter(torch.arange(1, state + 1).float().repeat(dim, 1).log_())
        self.D = nn.Parameter(torch.ones(dim))
        self._init_dt()

    @torch.no_grad()
    def _init_dt(self, lo=1e-3, hi=0.1):
        nn.init.uniform_(self.dt_proj.weight, -self.rank ** -0.5, self.rank ** -0.5)
        dt = torch.empty_like(self.dt_proj.bias).uniform_(math.log(lo), math.log(hi)).exp_()
        self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, u):
        dt, B, C = self.x_proj(u).split([self.rank, self.state, self.state], -1)
        delta = F.softplus(self.dt_proj(dt))
        return scan_reference(u, delta, -torch.exp(self.A_log), B, C, self.D)


class MambaBlock(nn.Module):
    def __init__(self, dim, expand=2, kernel=3):
        super().__init__()
        inner = expand * dim
        self.norm = nn.LayerNorm(dim)
        self.inp = nn.Linear(dim, 2 * inner, bias=False)
        self.conv = nn.Conv1d(inner, inner, kernel, padding=kernel - 1, groups=inner)
        self.ssm = SelectiveSSM(inner)
        self.out = nn.Linear(inner, dim, bias=False)

    def forward(self, x):
        u, z = self.inp(self.norm(x)).chunk(2, -1)
        u = self.conv(u.transpose(1, 2))[..., :x.shape[1]].transpose(1, 2)
        y = self.ssm(F.silu(u)) * F.silu(z)
        return x + self.out(y)


class ByteModel(nn.Module):
    def __init__(self, vocab=32, dim=8, depth=1):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.Sequential(*(MambaBlock(dim) for _ in range(depth)))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.head(self.blocks(self.emb(ids)))


def decay_groups(model, wd=0.1):
    decay, plain = [], []
    for name, p in model.named_parameters():
        (plain if p.dim() < 2 or "A_log" in name else decay).append(p)
    return [dict(params=decay, weight_decay=wd), dict(params=plain, weight_decay=0.0)]


def train(model, batches):
    opt = torch.optim.AdamW(decay_groups(model), lr=1e-3)
    for ids in batches:
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(ByteModel(), [torch.randint(0, 32, (2, 6))])
