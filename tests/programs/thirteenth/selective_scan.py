"""A slow, readable selective state-space layer (Mamba-like), sequential scan."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ScanState:
    def __init__(self, batch, channels, n):
        self.h = torch.zeros(batch, channels, n)

    def advance(self, decay, drive):
        self.h.mul_(decay).add_(drive)  # BUG
        return self

    def read(self, c):
        return torch.einsum("bdn,bn->bd", self.h, c)


class SelectiveSSM(nn.Module):
    def __init__(self, d, n=4, dt_rank=2):
        super().__init__()
        self.d, self.n, self.dt_rank = d, n, dt_rank
        self.x_proj = nn.Linear(d, dt_rank + 2 * n, bias=False)
        self.dt_proj = nn.Linear(dt_rank, d)
        self.A_log = nn.Parameter(torch.arange(1, n + 1).float().log().expand(d, n).clone())
        self.D = nn.Parameter(torch.ones(d))
        with torch.no_grad():
            dt = torch.exp(torch.rand(d) * (math.log(0.1) - math.log(1e-3)) + math.log(1e-3))
            self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))

    def discretise(self, x):
        dt, B, C = self.x_proj(x).split([self.dt_rank, self.n, self.n], -1)
        dt = F.softplus(self.dt_proj(dt))
        A = -torch.exp(self.A_log)
        decay = torch.exp(dt[..., None] * A)
        drive = (dt * x)[..., None] * B[:, :, None, :]
        return decay, drive, C

    def forward(self, x):
        decay, drive, C = self.discretise(x)
        state = ScanState(x.shape[0], self.d, self.n)
        ys = [state.advance(decay[:, t], drive[:, t]).read(C[:, t]) for t in range(x.shape[1])]
        return torch.stack(ys, 1) + self.D * x


class MambaBlock(nn.Module):
    def __init__(self, dim, expand=2, k=3):
        super().__init__()
        d = dim * expand
        self.norm = nn.RMSNorm(dim)
        self.inp = nn.Linear(dim, 2 * d, bias=False)
        self.conv = nn.Conv1d(d, d, k, groups=d, padding=k - 1)
        self.ssm = SelectiveSSM(d)
        self.out = nn.Linear(d, dim, bias=False)

    def forward(self, u):
        x, z = self.inp(self.norm(u)).chunk(2, -1)
        x = self.conv(x.transpose(1, 2))[..., : u.shape[1]].transpose(1, 2)
        y = self.ssm(F.silu(x)) * F.silu(z)
        return u + self.out(y)


class MambaLM(nn.Module):
    def __init__(self, vocab, dim=12, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.Sequential(*[MambaBlock(dim) for _ in range(depth)])
        self.norm = nn.RMSNorm(dim)

    def forward(self, ids):
        return self.norm(self.blocks(self.emb(ids))) @ self.emb.weight.t()


# --- driver ---
torch.manual_seed(0)
lm = MambaLM(20)
opt = torch.optim.AdamW(lm.parameters(), lr=2e-3)
for _ in range(2):
    ids = torch.randint(0, 20, (2, 11))
    loss = F.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()
    print(loss.item())
