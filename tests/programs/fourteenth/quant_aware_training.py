"""Quantisation-aware training with moving-average observers and learned clipping of weights."""
from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F


def ste_round(x: torch.Tensor) -> torch.Tensor:
    return x + (x.round() - x).detach()


class MovingAverageObserver(nn.Module):
    """Owns `scale`, refreshed from what passes by while training."""

    def __init__(self, bits: int, momentum: float = 0.1):
        super().__init__()
        self.momentum = momentum
        self.qmax = 2 ** (bits - 1) - 1
        self.register_buffer("scale", torch.tensor(1.0 / self.qmax))
        self.enabled = True

    @torch.no_grad()
    def observe(self, x: torch.Tensor) -> None:
        if self.enabled:
            peak = torch.quantile(x.detach().abs().flatten(), 0.995)
            self.scale.lerp_(peak.clamp_min(1e-6) / self.qmax, self.momentum)  # BUG


class FakeQuant(nn.Module):
    def __init__(self, bits: int = 8):
        super().__init__()
        self.observer = MovingAverageObserver(bits)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        o = self.observer
        q = ste_round(x / o.scale).clamp(-o.qmax - 1, o.qmax) * o.scale
        if self.training:
            o.observe(x)
        return q


class LearnedClip(nn.Module):
    """PACT-like symmetric clipping of weights; the threshold is trained."""

    def __init__(self, weight: torch.Tensor, bits: int = 4):
        super().__init__()
        self.levels = 2 ** (bits - 1) - 1
        self.threshold = nn.Parameter(weight.detach().abs().max().clone())

    def forward(self, w: torch.Tensor) -> torch.Tensor:
        t = self.threshold.abs() + 1e-6
        return ste_round(torch.maximum(torch.minimum(w / t, w.new_ones(())), -w.new_ones(())) * self.levels) * t / self.levels


class QuantLinear(nn.Linear):
    def __init__(self, d_in: int, d_out: int, w_bits: int = 4, a_bits: int = 8):
        super().__init__(d_in, d_out)
        self.weight_q = LearnedClip(self.weight, w_bits)
        self.input_q = FakeQuant(a_bits)

    def forward(self, x):
        return F.linear(self.input_q(x), self.weight_q(self.weight), self.bias)

    @torch.no_grad()
    def export(self) -> dict[str, torch.Tensor]:
        w = self.weight_q(self.weight)
        step = (self.weight_q.threshold.abs() + 1e-6) / self.weight_q.levels
        return {"int_weight": (w / step).round_().to(torch.int8), "step": step, "act_scale": self.input_q.observer.scale}


def quantise_model(model: nn.Sequential) -> nn.Sequential:
    out = []
    for layer in model:
        if isinstance(layer, nn.Linear):
            q = QuantLinear(layer.in_features, layer.out_features)
            q.load_state_dict(layer.state_dict(), strict=False)
            layer = q
        out.append(layer)
    return nn.Sequential(*out)


def set_observers(model: nn.Module, enabled: bool) -> None:
    for m in model.modules():
        if isinstance(m, MovingAverageObserver):
            m.enabled = enabled


def finetune(model, data, epochs, freeze_after):
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        set_observers(model, epoch < freeze_after)
        for x, y in data:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(7)
float_net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
qat = quantise_model(float_net)
data = [(torch.randn(10, 6), torch.randint(0, 3, (10,))) for _ in range(3)]
print(finetune(qat, data, epochs=2, freeze_after=1))
print({k: v.shape for k, v in qat[0].export().items()})
