"""Learning keypoint descriptors with a doubly stochastic assignment layer."""
from __future__ import annotations

import torch
from torch import Tensor, nn


class PositiveAffinity(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.metric = nn.Parameter(torch.eye(dim) + 0.01 * torch.randn(dim, dim))
        self.sharpness = nn.Parameter(torch.tensor(2.0))

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        raw = torch.einsum("bnd,de,bme->bnm", a, self.metric, b)
        return nn.functional.softplus(self.sharpness * raw) + 1e-3


class Sinkhorn(nn.Module):
    """Alternating row and column normalisation of a positive matrix, which it consumes."""

    def __init__(self, rounds: int = 8):
        super().__init__()
        self.rounds = rounds

    def forward(self, plan: Tensor) -> Tensor:
        for _ in range(self.rounds):
            plan /= plan.sum(dim=2, keepdim=True)
            plan /= plan.sum(dim=1, keepdim=True)
        return plan


class DescriptorNet(nn.Module):
    def __init__(self, d_in: int = 2, width: int = 24, dim: int = 8):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(d_in, width), nn.ReLU(), nn.Linear(width, width))
        self.context = nn.Sequential(nn.ReLU(), nn.Linear(2 * width, dim))

    def forward(self, points: Tensor) -> Tensor:
        local = self.local(points)
        pooled = local.amax(dim=1, keepdim=True).expand_as(local)
        return nn.functional.normalize(self.context(torch.cat([local, pooled], -1)), dim=-1)


class Matcher(nn.Module):
    def __init__(self, rounds: int = 8):
        super().__init__()
        self.describe = DescriptorNet()
        self.affinity = PositiveAffinity(8)
        self.assign = Sinkhorn(rounds)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return self.assign(self.affinity(self.describe(a), self.describe(b)))


def assignment_nll(plan: Tensor, perm: Tensor) -> Tensor:
    picked = plan.gather(2, perm.unsqueeze(2)).squeeze(2)
    return -picked.clamp_min(1e-6).log().mean()


def rotate_and_shuffle(points: Tensor, noise: float = 0.02) -> tuple[Tensor, Tensor]:
    n, k, _ = points.shape
    angle = 0.3 * torch.randn(n)
    rot = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], -1).view(n, 2, 2)
    moved = points @ rot + noise * torch.randn_like(points)
    order = torch.stack([torch.randperm(k) for _ in range(n)])
    shuffled = torch.empty_like(moved)
    shuffled.scatter_(1, order.unsqueeze(-1).expand_as(moved), moved)
    return shuffled, order


def accuracy(plan: Tensor, perm: Tensor) -> float:
    return (plan.argmax(2) == perm).float().mean().item()


# --- driver ---
torch.manual_seed(5)
matcher = Matcher()
optimizer = torch.optim.Adam(matcher.parameters(), lr=5e-3)
for it in range(4):
    src = torch.rand(6, 7, 2)
    dst, perm = rotate_and_shuffle(src)
    plan = matcher(src, dst)
    loss = assignment_nll(plan, perm)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(it, loss.item(), accuracy(plan, perm))
