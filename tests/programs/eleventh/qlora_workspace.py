"""QLoRA-style tuning: blockwise 4-bit base weights, dequantised into one shared workspace, with low-rank adapters."""
import math
from typing import Tuple

import torch
from torch import nn
import torch.nn.functional as F

LEVELS = torch.tensor([-1.0, -0.7, -0.53, -0.39, -0.28, -0.18, -0.09, 0.0,
                       0.08, 0.16, 0.25, 0.34, 0.44, 0.56, 0.72, 1.0])


def quantise(weight: torch.Tensor, block: int) -> Tuple[torch.Tensor, torch.Tensor]:
    flat = weight.detach().reshape(-1, block)
    absmax = flat.abs().amax(1, keepdim=True).clamp_min(1e-8)
    codes = (flat / absmax).unsqueeze(-1).sub(LEVELS).abs().argmin(-1)
    return codes.to(torch.uint8), absmax


def dequantise(codes: torch.Tensor, absmax: torch.Tensor) -> torch.Tensor:
    return LEVELS[codes.long()] * absmax


class Workspace:
    """Scratch memory for the dense form of one weight at a time."""

    def __init__(self):
        self.memory = torch.empty(0)

    def reserve(self, numel: int) -> None:
        if numel > self.memory.numel():
            self.memory = torch.empty(numel)

    def dense(self, codes, absmax, shape) -> torch.Tensor:
        view = self.memory[: math.prod(shape)]
        view.copy_(dequantise(codes, absmax).flatten())  # BUG
        return view.view(shape)


class QLinear(nn.Module):
    def __init__(self, base: nn.Linear, ws: Workspace, rank=4, alpha=8, block=16):
        super().__init__()
        codes, absmax = quantise(base.weight, block)
        self.register_buffer("codes", codes)
        self.register_buffer("absmax", absmax)
        self.shape = tuple(base.weight.shape)
        self.bias = nn.Parameter(base.bias.detach().clone(), requires_grad=False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.gain = alpha / rank
        self.ws = ws
        ws.reserve(base.weight.numel())

    def forward(self, x):
        y = F.linear(x, self.ws.dense(self.codes, self.absmax, self.shape), self.bias)
        return y + self.gain * F.linear(F.linear(x, self.down), self.up)


def convert(module: nn.Module, ws: Workspace, skip=("head",)) -> nn.Module:
    for name, child in module.named_children():
        if name in skip:
            continue
        if isinstance(child, nn.Linear):
            setattr(module, name, QLinear(child, ws))
        else:
            convert(child, ws, skip)
    return module


class Mixer(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.time = nn.Linear(length, length)
        self.fc1, self.fc2 = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        x = x + self.time(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.fc2(F.gelu(self.fc1(self.n2(x))))


class Classifier(nn.Module):
    def __init__(self, vocab=30, dim=16, length=8, depth=2, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim).requires_grad_(False)
        self.blocks = nn.Sequential(*[Mixer(dim, length) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.head(self.blocks(self.emb(ids)).mean(1))


# --- driver ---
torch.manual_seed(0)
model = convert(Classifier(), Workspace())
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
for _ in range(2):
    ids = torch.randint(0, 30, (6, 8))
    loss = F.cross_entropy(model(ids), ids[:, 0] % 3)
    opt.zero_grad()
    loss.backward()
    opt.step()
