import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def inverse_softplus(x):
    return x + torch.log(-torch.expm1(-x))


class SelectiveSSM(nn.Module):
    def __init__(self, d_inner: int, d_state: int = 4, dt_rank: int = 2):
        super().__init__()
        self.d_inner, self.d_state, self.dt_rank = d_inner, d_state, dt_rank
        self.x_proj = nn.Linear(d_inner, dt_rank + 2 * d_state, bias=False)
        self.dt_proj = nn.Linear(dt_rank, d_inner)
        dt = torch.exp(torch.rand(d_inner) * (math.log(0.1) - math.log(0.001)) + math.log(0.001))
        with torch.no_grad():
            self.dt_proj.bias.copy_(inverse_softplus(dt))
        A = torch.arange(1, d_state + 1).float().repeat(d_inner, 1)
        self.A_log = nn.Parameter(A.log())
        self.D = nn.Parameter(torch.ones(d_inner))

    def scan(self, u, delta, A, B, C):
        b, l, d = u.shape
        dA = torch.exp(delta.unsqueeze(-1) * A)
        dBu = delta.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
        state = u.new_zeros(b, d, self.d_state)
        ys = []
        for i in range(l):
            state.mul_(dA[:, i]).add_(dBu[:, i])  # BUG
            ys.append(torch.einsum("bdn,bn->bd", state, C[:, i]))
        return torch.stack(ys, dim=1)

    def forward(self, u):
        dbc = self.x_proj(u)
        dt, B, C = dbc.split([self.dt_rank, self.d_state, self.d_state], dim=-1)
        delta = F.softplus(self.dt_proj(dt))
        return self.scan(u, delta, -self.A_log.exp(), B, C) + u * self.D


class MambaBlock(nn.Module):
    def __init__(self, dim, expand=2, d_conv=3):
        super().__init__()
        inner = dim * expand
        self.in_proj = nn.Linear(dim, 2 * inner)
        self.conv = nn.Conv1d(inner, inner, d_conv, groups=inner, padding=d_conv - 1)
        self.ssm = SelectiveSSM(inner)
        self.out_proj = nn.Linear(inner, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        skip = x
        u, z = self.in_proj(self.norm(x)).chunk(2, -1)
        u = self.conv(u.transpose(1, 2))[..., : x.size(1)].transpose(1, 2)
        y = self.ssm(F.silu(u)) * F.silu(z)
        return skip + self.out_proj(y)


class CopyTaskModel(nn.Module):
    def __init__(self, vocab=8, dim=8, depth=1):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList([MambaBlock(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def copy_batch(n, length, vocab):
    seq = torch.randint(1, vocab, (n, length))
    x = torch.cat([seq, torch.zeros_like(seq)], 1)
    y = torch.full_like(x, -100)
    y[:, length:] = seq
    return x, y


def step(model, opt, n=2, length=4, vocab=8):
    x, y = copy_batch(n, length, vocab)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = CopyTaskModel()
step(net, torch.optim.AdamW(net.parameters(), lr=1e-3))
