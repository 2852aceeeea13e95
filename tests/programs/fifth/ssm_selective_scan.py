"""Selective state space model (reference scan) for long copying tasks."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelectiveSSM(nn.Module):
    def __init__(self, d_model, d_state=4, expand=2, d_conv=3):
        super().__init__()
        self.d_inner = expand * d_model
        self.d_state = d_state
        self.in_proj = nn.Linear(d_model, 2 * self.d_inner, bias=False)
        self.conv = nn.Conv1d(self.d_inner, self.d_inner, d_conv, groups=self.d_inner, padding=d_conv - 1)
        self.x_proj = nn.Linear(self.d_inner, 1 + 2 * d_state, bias=False)
        self.dt_bias = nn.Parameter(torch.zeros(self.d_inner))
        A = torch.arange(1, d_state + 1).float().repeat(self.d_inner, 1)
        self.A_log = nn.Parameter(A.log_())
        self.D = nn.Parameter(torch.ones(self.d_inner))
        self.out_proj = nn.Linear(self.d_inner, d_model, bias=False)

    def scan(self, u, dt, A, B, C):
        b, l, d = u.shape
        dA = torch.exp(dt.unsqueeze(-1) * A)
        dBu = dt.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
        h = torch.zeros(b, d, self.d_state)
        ys = []
        for i in range(l):
            h.mul_(dA[:, i]).add_(dBu[:, i])  # BUG
            ys.append(torch.einsum('bdn,bn->bd', h, C[:, i]))
        y = torch.stack(ys, dim=1)
        y += u * self.D
        return y

    def forward(self, x):
        l = x.size(1)
        xz = self.in_proj(x)
        u, z = xz.chunk(2, dim=-1)
        u = self.conv(u.transpose(1, 2))[..., :l].transpose(1, 2)
        u = F.silu(u)
        dt, B, C = self.x_proj(u).split([1, self.d_state, self.d_state], dim=-1)
        dt = F.softplus(dt + self.dt_bias)
        y = self.scan(u, dt, -torch.exp(self.A_log), B, C)
        return self.out_proj(y * F.silu(z))


class Model(nn.Module):
    def __init__(self, vocab, d=8, n=1):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(SelectiveSSM(d) for _ in range(n))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(n))
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids):
        x = self.emb(ids)
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x))
        return self.head(x)


def copy_task(bs, length, vocab):
    x = torch.randint(2, vocab, (bs, length))
    x[:, length // 2:] = 1
    y = torch.full_like(x, -100)
    y[:, length // 2:] = x[:, :length - length // 2]
    return x, y


def train(steps, vocab=10, bs=2, length=8):
    model = Model(vocab)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        x, y = copy_task(bs, length, vocab)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=-100)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


# --- driver ---
torch.manual_seed(0)
train(1)
