import math
from typing import Optional

import torch
from torch import Tensor, nn
from torch.autograd import Function


class TemperedSigmoid(Function):
    """sigmoid(x / T) with a memory light backward computed from the result."""

    @staticmethod
    def forward(ctx, x: Tensor, temperature: float) -> Tensor:
        y = torch.sigmoid(x / temperature)
        ctx.save_for_backward(y)
        ctx.temperature = temperature
        return y

    @staticmethod
    def backward(ctx, grad: Tensor):
        (y,) = ctx.saved_tensors
        return grad * y * (1 - y) / ctx.temperature, None


class Annealer:
    def __init__(self, start: float, end: float, steps: int):
        self.start, self.end, self.steps = start, end, steps
        self.t = 0

    @property
    def value(self) -> float:
        frac = min(1.0, self.t / max(1, self.steps))
        return self.start * math.exp(frac * math.log(self.end / self.start))

    def tick(self) -> None:
        self.t += 1


class FeatureGate(nn.Module):
    """Learns which input columns to keep; the bias column is always kept."""

    def __init__(self, features: int, annealer: Annealer, keep_bias: bool = True):
        super().__init__()
        self.score = nn.Linear(features, features)
        self.annealer = annealer
        self.keep_bias = keep_bias

    def forward(self, x: Tensor, forced: Optional[Tensor] = None) -> Tensor:
        gate = TemperedSigmoid.apply(self.score(x), self.annealer.value)
        if self.keep_bias:
            gate[:, 0] = 1.0  # BUG
        if forced is not None:
            gate = torch.where(forced, torch.ones_like(gate), gate)
        return gate


class TabularNet(nn.Module):
    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.annealer = Annealer(2.0, 0.2, 100)
        self.gate = FeatureGate(features, self.annealer)
        self.body = nn.Sequential(nn.Linear(features, hidden), nn.GELU(), nn.Linear(hidden, 1))

    def forward(self, x: Tensor):
        g = self.gate(x)
        return self.body(x * g).squeeze(-1), g


def train_step(net, opt, x, y, l0: float = 0.01):
    pred, gate = net(x)
    loss = nn.functional.mse_loss(pred, y) + l0 * gate.sum(1).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    net.annealer.tick()
    return loss.item()


# --- driver ---
torch.manual_seed(1)
net = TabularNet(6, 12)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(2):
    train_step(net, opt, torch.randn(8, 6), torch.randn(8))
