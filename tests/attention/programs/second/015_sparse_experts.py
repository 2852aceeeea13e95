from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Expert(nn.Module):
    def __init__(self, d: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(d, hidden, bias=False)
        self.gate = nn.Linear(d, hidden, bias=False)
        self.down = nn.Linear(hidden, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class CosineRouter(nn.Module):
    """Tokens are compared with one key per expert in a low-dimensional space."""

    def __init__(self, d: int, n_experts: int, d_route: int = 6):
        super().__init__()
        self.query = nn.Linear(d, d_route, bias=False)
        self.keys = nn.Parameter(torch.randn(n_experts, d_route))
        self.scale = d_route ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        q = self.query(x)
        return q @ self.keys.transpose(-2, -1) * self.scale


class SparseExperts(nn.Module):
    def __init__(self, d: int, n_experts: int = 6, k: int = 2, hidden: int = 12):
        super().__init__()
        self.k = k
        self.router = CosineRouter(d, n_experts)
        self.experts = nn.ModuleList(Expert(d, hidden) for _ in range(n_experts))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs = F.softmax(self.router(x), dim=-1)  # NOT
        weight, chosen = probs.topk(self.k, dim=-1)
        weight = weight / weight.sum(-1, keepdim=True)

        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            row, slot = torch.where(chosen == i)
            if row.numel():
                out = out.index_add(0, row, expert(x[row]) * weight[row, slot, None])

        load = F.one_hot(chosen, len(self.experts)).to(x.dtype).mean((0, 1))
        balance = len(self.experts) * (load * probs.mean(0)).sum()
        return out.reshape(shape), balance


class Layer(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.moe = SparseExperts(d)

    def forward(self, x):
        y, aux = self.moe(self.norm(x))
        return x + y, aux


# --- driver ---
torch.manual_seed(15)
lay = Layer(10).eval().double()
RESULTS = []
for L in (17, 8):
    x = torch.randn(3, L, 10, dtype=torch.float64, requires_grad=True)
    lay.zero_grad()
    y, aux = lay(x)
    (y.tanh().sum() + 0.1 * aux ** 2).backward()
    RESULTS += [y.detach(), aux.detach(), x.grad]
    RESULTS += [p.grad.clone() for p in lay.parameters() if p.grad is not None]
