import math
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        ms = x.pow(2).mean(-1, keepdim=True)
        ms += self.eps
        return x * ms.rsqrt() * self.weight


def selective_scan(u, delta, A, B, C, D):
    bsz, length, dim = u.shape
    n = A.shape[1]
    dA = torch.exp(delta.unsqueeze(-1) * A)
    dBu = delta.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
    state = u.new_zeros(bsz, dim, n)
    ys = u.new_empty(bsz, length, dim)
    for t in range(length):
        state.mul_(dA[:, t]).add_(dBu[:, t])  # BUG
        ys[:, t] = (state * C[:, t].unsqueeze(1)).sum(-1)
    return ys + u * D


class SelectiveSSM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        inner = cfg.expand * cfg.d_model
        self.dt_rank = max(1, cfg.d_model // 4)
        self.n = cfg.d_state
        self.in_proj = nn.Linear(cfg.d_model, 2 * inner, bias=False)
        self.conv = nn.Conv1d(inner, inner, cfg.d_conv, groups=inner, padding=cfg.d_conv - 1)
        self.x_proj = nn.Linear(inner, self.dt_rank + 2 * self.n, bias=False)
        self.dt_proj = nn.Linear(self.dt_rank, inner)
        A = torch.arange(1, self.n + 1).float().repeat(inner, 1)
        self.A_log = nn.Parameter(A.log_())
        self.D = nn.Parameter(torch.ones(inner))
        self.out_proj = nn.Linear(inner, cfg.d_model, bias=False)
        self._init_dt(cfg)

    @torch.no_grad()
    def _init_dt(self, cfg):
        dt = torch.rand(self.dt_proj.out_features)
        dt.mul_(math.log(cfg.dt_max) - math.log(cfg.dt_min)).add_(math.log(cfg.dt_min)).exp_()
        self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, x):
        length = x.shape[1]
        u, gate = self.in_proj(x).chunk(2, -1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., :length].transpose(1, 2))
        dt, B, C = self.x_proj(u).split([self.dt_rank, self.n, self.n], -1)
        delta = F.softplus(self.dt_proj(dt))
        y = selective_scan(u, delta, -self.A_log.exp(), B, C, self.D)
        return self.out_proj(y * F.silu(gate))


class MambaLite(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.d_model)
        self.layers = nn.ModuleList(nn.Sequential(RMSNorm(cfg.d_model), SelectiveSSM(cfg)) for _ in range(cfg.layers))
        self.norm = RMSNorm(cfg.d_model)

    def forward(self, ids):
        h = self.emb(ids)
        for layer in self.layers:
            h = h + layer(h)
        return F.linear(self.norm(h), self.emb.weight)


def loss_fn(model, ids):
    logits = model(ids[:, :-1])
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1))


# --- driver ---
torch.manual_seed(0)
cfg = SimpleNamespace(vocab=11, d_model=8, d_state=4, d_conv=3, expand=2, layers=2, dt_min=1e-3, dt_max=0.1)
model = MambaLite(cfg)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_fn(model, torch.randint(0, 11, (2, 7))).backward()
opt.step()
