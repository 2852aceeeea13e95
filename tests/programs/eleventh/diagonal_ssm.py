"""Diagonal state-space sequence model with input-dependent steps: chunked scan for training, O(1) steps to serve."""
import math
from typing import List, Optional

import torch
from torch import nn
import torch.nn.functional as F


class SelectiveSSM(nn.Module):
    def __init__(self, dim: int, state: int = 8):
        super().__init__()
        self.log_a = nn.Parameter(torch.arange(1, state + 1).float().log().repeat(dim, 1))
        self.bc = nn.Linear(dim, 2 * state)
        self.dt = nn.Linear(dim, dim)
        self.skip = nn.Parameter(torch.ones(dim))
        with torch.no_grad():
            step = torch.exp(torch.rand(dim) * math.log(100) + math.log(1e-3))
            self.dt.bias.copy_(step + torch.log(-torch.expm1(-step)))
            self.dt.weight.mul_(0.1)

    def discretise(self, x):
        B, C = self.bc(x).chunk(2, -1)
        dt = F.softplus(self.dt(x))
        decay = torch.exp(-dt.unsqueeze(-1) * self.log_a.exp())
        drive = (dt * x).unsqueeze(-1) * B.unsqueeze(-2)
        return decay, drive, C

    def forward(self, x, h: Optional[torch.Tensor] = None):
        decay, drive, C = self.discretise(x)
        b, n, d = x.shape
        h = x.new_zeros(b, d, decay.shape[-1]) if h is None else h
        y = torch.empty_like(x)
        for t in range(n):
            h = decay[:, t] * h + drive[:, t]
            y[:, t] = (h * C[:, t].unsqueeze(1)).sum(-1)
        y += self.skip * x
        return y, h

    @torch.no_grad()
    def step(self, x, h):
        """One token; the state is updated where it lies."""
        decay, drive, C = (v.squeeze(1) for v in self.discretise(x.unsqueeze(1)))
        h.mul_(decay).add_(drive)
        return torch.bmm(h, C.unsqueeze(-1)).squeeze(-1).add_(self.skip * x)


class SSMBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.inp = nn.Linear(dim, 2 * dim)
        self.ssm = SelectiveSSM(dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        u, gate = self.inp(self.norm(x)).chunk(2, -1)
        y, _ = self.ssm(F.silu(u))
        return x + self.out(y * F.silu(gate))

    @torch.no_grad()
    def step(self, x, h):
        u, gate = self.inp(self.norm(x)).chunk(2, -1)
        y = self.ssm.step(F.silu(u), h).mul_(F.silu(gate))
        return self.out(y).add_(x)


class SSMLM(nn.Module):
    def __init__(self, vocab=20, dim=16, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList([SSMBlock(dim) for _ in range(depth)])
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for block in self.blocks:
            x = block(x)
        return self.out(x)

    def states(self, batch) -> List[torch.Tensor]:
        return [torch.zeros(batch, *b.ssm.log_a.shape) for b in self.blocks]

    @torch.no_grad()
    def generate(self, prompt, n):
        h = self.states(prompt.shape[0])
        out = torch.empty(prompt.shape[0], prompt.shape[1] + n, dtype=torch.long)
        out[:, : prompt.shape[1]] = prompt
        for t in range(out.shape[1] - 1):
            x = self.emb(out[:, t])
            for block, state in zip(self.blocks, h):
                x = block.step(x, state)
            if t + 1 >= prompt.shape[1]:
                out[:, t + 1] = self.out(x).argmax(-1)
        return out


# --- driver ---
torch.manual_seed(0)
model = SSMLM()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(4):
    ids = (torch.randint(0, 20, (6, 1)) + 3 * torch.arange(10)) % 20
    loss = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), model.generate(ids[:2, :3], 3).tolist())
