"""Two-tower recommender, full-catalogue softmax plus a co-view regulariser."""
from __future__ import annotations

from typing import Iterator, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Interaction(NamedTuple):
    user: torch.Tensor
    item: torch.Tensor
    neighbour: torch.Tensor


class UserTower(nn.Module):
    def __init__(self, n_users: int, dim: int):
        super().__init__()
        self.table = nn.Embedding(n_users, dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, users: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.mix(self.table(users)))


class Catalogue(nn.Module):
    """Item vectors live in a ball of radius `radius`."""

    def __init__(self, n_items: int, dim: int, radius: float):
        super().__init__()
        self.table = nn.Embedding(n_items, dim, max_norm=radius)
        self.popularity = nn.Parameter(torch.zeros(n_items))

    def score_all(self, queries: torch.Tensor) -> torch.Tensor:
        return queries @ self.table.weight.t() + self.popularity

    def vectors(self, items: torch.Tensor) -> torch.Tensor:
        return self.table(items)  # BUG


class Recommender(nn.Module):
    def __init__(self, n_users: int, n_items: int, dim: int = 16, radius: float = 1.0, co_view: float = 0.1):
        super().__init__()
        self.users = UserTower(n_users, dim)
        self.items = Catalogue(n_items, dim, radius)
        self.co_view = co_view

    def loss(self, batch: Interaction) -> torch.Tensor:
        query = self.users(batch.user)
        ranking = F.cross_entropy(self.items.score_all(query), batch.item)
        gap = self.items.vectors(batch.item) - self.items.vectors(batch.neighbour)
        return ranking + self.co_view * gap.square().sum(1).mean()

    @torch.no_grad()
    def recommend(self, users: torch.Tensor, k: int = 5) -> torch.Tensor:
        return self.items.score_all(self.users(users)).topk(k, dim=1).indices


def stream(n_users: int, n_items: int, batch: int, steps: int) -> Iterator[Interaction]:
    for _ in range(steps):
        user = torch.randint(n_users, (batch,))
        item = (user * 3 + torch.randint(4, (batch,))) % n_items
        yield Interaction(user, item, (item + 1) % n_items)


def hit_rate(model: Recommender, batch: Interaction, k: int = 5) -> float:
    top = model.recommend(batch.user, k)
    return (top == batch.item.unsqueeze(1)).any(1).float().mean().item()


def fit(model: Recommender, batches: Iterator[Interaction], lr: float = 0.05) -> list[float]:
    opt = torch.optim.Adagrad(model.parameters(), lr=lr)
    losses = []
    for batch in batches:
        opt.zero_grad()
        loss = model.loss(batch)
        loss.backward()
        opt.step()
        losses.append(float(loss))
    return losses


# --- driver ---
torch.manual_seed(4)
rec = Recommender(n_users=30, n_items=25)
print(fit(rec, stream(30, 25, 16, 4)))
print(hit_rate(rec, next(stream(30, 25, 16, 1))))
