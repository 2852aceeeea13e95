"""Normalisation by running statistics, for small batches in online learning."""
from typing import Iterator, Optional

import torch
from torch import Tensor, nn


class RunningScaleNorm(nn.Module):
    running_mean: Tensor
    running_std: Tensor

    def __init__(self, features: int, momentum: float = 0.05, eps: float = 1e-3, affine: bool = True):
        super().__init__()
        self.momentum = momentum
        self.eps = eps
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_std", torch.ones(features))
        self.gain: Optional[nn.Parameter] = nn.Parameter(torch.ones(features)) if affine else None
        self.bias: Optional[nn.Parameter] = nn.Parameter(torch.zeros(features)) if affine else None

    @torch.no_grad()
    def _track(self, x: Tensor) -> None:
        mean, std = x.mean(0), x.std(0, unbiased=False) + self.eps
        self.running_mean.lerp_(mean, self.momentum)
        self.running_std.lerp_(std, self.momentum)  # BUG

    def forward(self, x: Tensor) -> Tensor:
        y = (x - self.running_mean) / self.running_std
        if self.training:
            self._track(x)
        if self.gain is not None:
            y = y * self.gain + self.bias
        return y


class OnlineNet(nn.Module):
    def __init__(self, fin: int, hidden: int, depth: int = 2):
        super().__init__()
        self.inp = nn.Linear(fin, hidden)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"norm": RunningScaleNorm(hidden), "lin": nn.Linear(hidden, hidden)})
            for _ in range(depth)
        )
        self.out = nn.Linear(hidden, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.inp(x)
        for b in self.blocks:
            h = h + torch.relu(b["lin"](b["norm"](h)))
        return self.out(h).squeeze(-1)


def drifting_stream(fin: int, batch: int, n: int) -> Iterator:
    w = torch.randn(fin)
    for _ in range(n):
        w = w + 0.05 * torch.randn(fin)
        x = torch.randn(batch, fin) * 2 + 1
        yield x, x @ w


class Prequential:
    """Test then train on every batch."""

    def __init__(self, model: OnlineNet, lr: float):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.curve = []

    def consume(self, stream: Iterator) -> list:
        for x, y in stream:
            self.model.eval()
            with torch.no_grad():
                self.curve.append(nn.functional.l1_loss(self.model(x), y).item())
            self.model.train()
            self.opt.zero_grad()
            nn.functional.huber_loss(self.model(x), y).backward()
            self.opt.step()
        return self.curve


# --- driver ---
torch.manual_seed(28)
model = OnlineNet(4, 8)
Prequential(model, 1e-3).consume(drifting_stream(4, 3, 2))
