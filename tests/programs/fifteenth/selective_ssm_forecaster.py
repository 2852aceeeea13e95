"""Diagonal selective state-space model for multivariate forecasting."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class SSMConfig:
    channels: int = 6
    d_model: int = 16
    d_state: int = 4
    layers: int = 2
    horizon: int = 3


class SelectiveScan(nn.Module):
    def __init__(self, d_model: int, d_state: int):
        super().__init__()
        self.log_a = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(d_model, 1))
        self.to_bcd = nn.Linear(d_model, 2 * d_state + 1)
        self.dt_bias = nn.Parameter(torch.zeros(d_model))
        self.skip = nn.Parameter(torch.ones(d_model))
        self.d_state = d_state

    def discretise(self, u):
        b, c, dt = self.to_bcd(u).split([self.d_state, self.d_state, 1], dim=-1)
        dt = F.softplus(dt + self.dt_bias)
        a = torch.exp(-dt.unsqueeze(-1) * self.log_a.exp())
        bu = (dt * u).unsqueeze(-1) * b.unsqueeze(-2)
        return a, bu, c

    def forward(self, u):
        a, bu, c = self.discretise(u)
        state = torch.zeros_like(bu[:, 0])
        outs = []
        for t in range(u.size(1)):
            state = state + bu[:, t]
            outs.append(torch.einsum("bdn,bn->bd", state, c[:, t]))
            state *= a[:, t]  # BUG
        return torch.stack(outs, 1) + self.skip * u


class Block(nn.Module):
    def __init__(self, cfg: SSMConfig):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.d_model)
        self.ssm = SelectiveScan(cfg.d_model, cfg.d_state)
        self.gate = nn.Linear(cfg.d_model, cfg.d_model)

    def forward(self, x):
        z = self.norm(x)
        return x + self.ssm(z) * F.silu(self.gate(z))


class Forecaster(nn.Module):
    def __init__(self, cfg: SSMConfig):
        super().__init__()
        self.cfg = cfg
        self.inp = nn.Linear(cfg.channels, cfg.d_model)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(cfg.layers)])
        self.out = nn.Linear(cfg.d_model, cfg.horizon * cfg.channels)

    def forward(self, x):
        mu, sd = x.mean(1, keepdim=True), x.std(1, keepdim=True) + 1e-5
        h = self.blocks(self.inp((x - mu) / sd))[:, -1]
        y = self.out(h).view(-1, self.cfg.horizon, self.cfg.channels)
        return y * sd + mu


# --- driver ---
def main():
    torch.manual_seed(0)
    cfg = SSMConfig()
    model = Forecaster(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    series = torch.randn(200, cfg.channels).cumsum_(0)
    for step in range(3):
        s = torch.randint(0, 180, (4,)).tolist()
        ctx = torch.stack([series[i:i + 12] for i in s])
        tgt = torch.stack([series[i + 12:i + 12 + cfg.horizon] for i in s])
        loss = F.l1_loss(model(ctx), tgt)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
