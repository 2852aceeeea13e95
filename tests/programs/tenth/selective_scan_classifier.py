"""Input-dependent state space layer with a sequential scan, used on long one-dimensional signals."""
from typing import Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiscreteStep:
    """Zero-order hold for a diagonal system."""

    def __init__(self, log_a: torch.Tensor):
        self.a = -torch.exp(log_a)

    def __call__(self, delta: torch.Tensor, b: torch.Tensor, u: torch.Tensor):
        decay = torch.exp(delta.unsqueeze(-1) * self.a)
        drive = (delta * u).unsqueeze(-1) * b.unsqueeze(-2)
        return decay, drive


class Recurrence:
    def __init__(self, batch: int, channels: int, order: int):
        self.h = torch.zeros(batch, channels, order)

    def advance(self, decay: torch.Tensor, drive: torch.Tensor) -> None:
        self.h = self.h * decay
        self.h += drive

    def inject(self, residual: torch.Tensor) -> None:
        self.h.add_(residual.unsqueeze(-1), alpha=0.1)  # BUG

    def emit(self, c: torch.Tensor) -> torch.Tensor:
        return (self.h * c.unsqueeze(-2)).sum(-1)


class SelectiveSSM(nn.Module):
    def __init__(self, channels: int, order: int = 4):
        super().__init__()
        self.order = order
        self.log_a = nn.Parameter(torch.arange(1, order + 1).float().log_().repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))
        self.to_bc = nn.Linear(channels, 2 * order, bias=False)
        self.to_delta = nn.Linear(channels, channels)
        nn.init.constant_(self.to_delta.bias, -2.0)

    def steps(self, u: torch.Tensor) -> Iterator:
        b, c = self.to_bc(u).chunk(2, -1)
        delta = F.softplus(self.to_delta(u))
        hold = DiscreteStep(self.log_a)
        for t in range(u.shape[1]):
            yield (*hold(delta[:, t], b[:, t], u[:, t]), c[:, t])

    def forward(self, u: torch.Tensor) -> torch.Tensor:
        state = Recurrence(u.shape[0], u.shape[2], self.order)
        out = []
        for t, (decay, drive, c) in enumerate(self.steps(u)):
            state.advance(decay, drive)
            y = state.emit(c)
            state.inject(u[:, t] - y)
            out.append(y)
        return torch.stack(out, 1) + u * self.skip


class SSMBlock(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.inp, self.out = nn.Linear(dim, 2 * dim), nn.Linear(dim, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=2, groups=dim)
        self.ssm = SelectiveSSM(dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        u, gate = self.inp(self.norm(x)).chunk(2, -1)
        u = self.conv(u.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2)
        return x + self.out(self.ssm(F.silu(u)) * F.silu(gate))


class SignalClassifier(nn.Module):
    def __init__(self, classes: int = 3, dim: int = 12, depth: int = 2):
        super().__init__()
        self.lift = nn.Linear(1, dim)
        self.blocks = nn.ModuleList(SSMBlock(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.lift(x.unsqueeze(-1))
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean(1))


def chirps(n: int, length: int, classes: int):
    y = torch.randint(classes, (n,))
    t = torch.linspace(0, 1, length)
    x = torch.sin(2 * torch.pi * (2 + 3 * y[:, None]) * t.square())
    return x.add_(torch.randn_like(x), alpha=0.2), y


# --- driver ---
torch.manual_seed(32)
net = SignalClassifier()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01)
for _ in range(2):
    x, y = chirps(6, 24, 3)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
