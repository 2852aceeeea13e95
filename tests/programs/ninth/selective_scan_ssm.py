import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def selective_scan(u, delta, A, B, C, D):
    """u, delta: (b, l, d); A: (d, n); B, C: (b, l, n)."""
    b, l, d = u.shape
    dA = torch.exp(torch.einsum("bld,dn->bldn", delta, A))
    dBu = torch.einsum("bld,bln,bld->bldn", delta, B, u)
    state = u.new_zeros(b, d, A.size(1))
    ys = []
    for t in range(l):
        state.mul_(dA[:, t]).add_(dBu[:, t])  # BUG
        ys.append(torch.einsum("bdn,bn->bd", state, C[:, t]))
    return torch.stack(ys, dim=1) + u * D


class SSMBlock(nn.Module):
    def __init__(self, d_model, d_state=4, expand=2, d_conv=3):
        super().__init__()
        d_in = expand * d_model
        self.dt_rank = math.ceil(d_model / 4)
        self.d_state = d_state
        self.in_proj = nn.Linear(d_model, 2 * d_in, bias=False)
        self.conv = nn.Conv1d(d_in, d_in, d_conv, groups=d_in, padding=d_conv - 1)
        self.x_proj = nn.Linear(d_in, self.dt_rank + 2 * d_state, bias=False)
        self.dt_proj = nn.Linear(self.dt_rank, d_in)
        A = torch.arange(1, d_state + 1).float().repeat(d_in, 1)
        self.A_log = nn.Parameter(A.log_())
        self.D = nn.Parameter(torch.ones(d_in))
        self.out_proj = nn.Linear(d_in, d_model, bias=False)
        self.norm = RMSNorm(d_model)

    def forward(self, x):
        l = x.size(1)
        u, gate = self.in_proj(self.norm(x)).chunk(2, dim=-1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., :l].transpose(1, 2))
        dt, B, C = self.x_proj(u).split([self.dt_rank, self.d_state, self.d_state], dim=-1)
        y = selective_scan(u, F.softplus(self.dt_proj(dt)), -torch.exp(self.A_log), B, C, self.D)
        return x + self.out_proj(y * F.silu(gate))


class CharMamba(nn.Module):
    def __init__(self, vocab, d_model=8, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(SSMBlock(d_model) for _ in range(depth))
        self.norm = RMSNorm(d_model)

    def forward(self, ids):
        x = self.emb(ids)
        for blk in self.blocks:
            x = blk(x)
        return self.norm(x) @ self.emb.weight.t()


def encode(text):
    table = {c: i for i, c in enumerate(sorted(set(text)))}
    return torch.tensor([table[c] for c in text]), len(table)


# --- driver ---
torch.manual_seed(21)
ids, vocab = encode("state space models carry a state")
net = CharMamba(vocab)
x = ids[None, :12]
loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
loss.backward()
