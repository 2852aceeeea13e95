import argparse
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn, Tensor
import torch.nn.functional as F


@dataclass
class RecConfig:
    n_users: int = 30
    n_items: int = 25
    dim: int = 12
    max_norm: Optional[float] = 1.0
    lr: float = 0.05
    batch: int = 16


class TwoTower(nn.Module):
    def __init__(self, cfg: RecConfig):
        super().__init__()
        self.users = nn.Embedding(cfg.n_users, cfg.dim, max_norm=cfg.max_norm)
        self.items = nn.Embedding(cfg.n_items, cfg.dim, max_norm=cfg.max_norm)
        self.item_proj = nn.Linear(cfg.dim, cfg.dim, bias=False)
        self.user_mlp = nn.Sequential(nn.Linear(cfg.dim, cfg.dim), nn.ReLU(inplace=True), nn.Linear(cfg.dim, cfg.dim))

    def catalogue(self) -> Tensor:
        """projected vectors of all items"""
        return self.item_proj(self.items.weight)

    def user_vec(self, uid: Tensor, history: Tensor) -> Tensor:
        u = self.users(uid)
        h = self.items(history).mean(1)  # BUG
        return self.user_mlp(u + h)

    def forward(self, uid, history):
        cat = self.catalogue()
        return self.user_vec(uid, history) @ cat.t()


def sample(cfg, hist_len=4):
    uid = torch.randint(0, cfg.n_users, (cfg.batch,))
    hist = torch.randint(0, cfg.n_items, (cfg.batch, hist_len))
    pos = (hist[:, 0] + uid) % cfg.n_items
    return uid, hist, pos


@torch.no_grad()
def recall_at_k(model, cfg, k=5):
    model.eval()
    uid, hist, pos = sample(cfg)
    scores = model(uid, hist)
    scores.scatter_(1, hist, -1e9)     # never recommend seen items
    top = scores.topk(k, 1).indices
    model.train()
    return (top == pos[:, None]).any(1).float().mean().item()


def fit(cfg: RecConfig, steps: int):
    model = TwoTower(cfg)
    opt = torch.optim.Adagrad(model.parameters(), lr=cfg.lr)
    loss_sum = torch.zeros(())
    for i in range(steps):
        uid, hist, pos = sample(cfg)
        loss = F.cross_entropy(model(uid, hist), pos)
        opt.zero_grad()
        loss.backward()
        opt.step()
        loss_sum += loss.detach()
    print(f"mean loss {(loss_sum / steps).item():.3f}  recall@5 {recall_at_k(model, cfg):.3f}")
    return model


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=5)
    ap.add_argument("--max-norm", type=float, default=1.0)
    ns = ap.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    fit(RecConfig(max_norm=ns.max_norm), ns.steps)
