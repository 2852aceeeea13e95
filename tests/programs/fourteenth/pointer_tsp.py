"""Attention model for the travelling salesman, trained with REINFORCE and a greedy-rollout baseline."""
from __future__ import annotations

import copy
import math

import torch
from torch import Tensor, nn


class CityEncoder(nn.Module):
    def __init__(self, dim: int, layers: int = 1):
        super().__init__()
        self.lift = nn.Linear(2, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True)
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, cities: Tensor) -> Tensor:
        return self.body(self.lift(cities))


class Visited:
    """Which cities each tour has been to."""

    def __init__(self, batch: int, n: int):
        self.flags = torch.zeros(batch, n, dtype=torch.bool)

    def add(self, city: Tensor) -> None:
        self.flags.scatter_(1, city.unsqueeze(1), True)  # BUG


class Pointer(nn.Module):
    def __init__(self, dim: int, clip: float = 10.0):
        super().__init__()
        self.clip, self.scale = clip, 1 / math.sqrt(dim)
        self.query = nn.Linear(3 * dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)

    def forward(self, context: Tensor, nodes: Tensor, visited: Visited) -> Tensor:
        q, k = self.query(context).unsqueeze(1), self.key(nodes)
        u = self.clip * torch.tanh((q * k).sum(-1) * self.scale)
        return u.masked_fill(visited.flags, -1e9).log_softmax(-1)


class TourPolicy(nn.Module):
    def __init__(self, dim: int = 16):
        super().__init__()
        self.encoder, self.pointer = CityEncoder(dim), Pointer(dim)
        self.blank = nn.Parameter(0.1 * torch.randn(2, dim))

    def forward(self, cities: Tensor, greedy: bool = False) -> tuple[Tensor, Tensor]:
        b, n, _ = cities.shape
        nodes = self.encoder(cities)
        mean = nodes.mean(1)
        first = last = None
        visited, rows = Visited(b, n), torch.arange(b)
        tour, logp = [], 0.0
        for _ in range(n):
            ends = [self.blank[i].expand(b, -1) if e is None else nodes[rows, e] for i, e in enumerate((first, last))]
            lp = self.pointer(torch.cat([mean, *ends], 1), nodes, visited)
            city = lp.argmax(1) if greedy else torch.multinomial(lp.detach().exp(), 1).squeeze(1)
            logp = logp + lp[rows, city]
            visited.add(city)
            first, last = city if first is None else first, city
            tour.append(city)
        return torch.stack(tour, 1), logp


def tour_length(cities: Tensor, tour: Tensor) -> Tensor:
    path = cities.gather(1, tour.unsqueeze(-1).expand(-1, -1, 2))
    return (path - path.roll(-1, dims=1)).norm(dim=-1).sum(1)


class RolloutBaseline:
    def __init__(self, policy: TourPolicy):
        self.best = copy.deepcopy(policy).eval().requires_grad_(False)

    @torch.no_grad()
    def __call__(self, cities: Tensor) -> Tensor:
        return tour_length(cities, self.best(cities, greedy=True)[0])

    @torch.no_grad()
    def challenge(self, policy: TourPolicy, cities: Tensor) -> bool:
        better = bool(tour_length(cities, policy(cities, greedy=True)[0]).mean() < self(cities).mean())
        if better:
            self.best.load_state_dict(policy.state_dict())
        return better


# --- driver ---
torch.manual_seed(0)
policy = TourPolicy()
baseline = RolloutBaseline(policy)
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(2):
    cities = torch.rand(6, 7, 2)
    tour, logp = policy(cities)
    advantage = tour_length(cities, tour) - baseline(cities)
    loss = (advantage * logp).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), baseline.challenge(policy, torch.rand(8, 7, 2)))
