"""SASRec-like sequential recommender trained with BPR."""
from typing import Optional

import torch
from torch import nn, Tensor
import torch.nn.functional as F


class ResetMixin:
    """Calls `reset_parameters` on every child that defines it, then on self."""

    def reset_all(self):
        for child in self.children():
            if hasattr(child, "reset_parameters"):
                child.reset_parameters()
        self.reset_own()

    def reset_own(self):
        pass


class ItemTower(nn.Module, ResetMixin):
    def __init__(self, n_items: int, dim: int, pad: int = 0, max_norm: Optional[float] = None):
        super().__init__()
        self.pad = pad
        self.items = nn.Embedding(n_items, dim)
        self.bias = nn.Embedding(n_items, 1)
        self.reset_all()

    def reset_own(self):
        nn.init.normal_(self.items.weight, std=0.02)
        nn.init.zeros_(self.bias.weight)
        table = self.items.weight
        table[self.pad].fill_(0.0)  # BUG

    def score(self, user: Tensor, ids: Tensor) -> Tensor:
        return torch.einsum("bd,bkd->bk", user, self.items(ids)) + self.bias(ids).squeeze(-1)


class SeqRecommender(nn.Module):
    def __init__(self, n_items: int, dim: int = 16, max_len: int = 10, heads: int = 2):
        super().__init__()
        self.tower = ItemTower(n_items, dim)
        self.pos = nn.Parameter(torch.zeros(max_len, dim))
        self.block = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.0, batch_first=True)

    def user_state(self, hist: Tensor) -> Tensor:
        x = self.tower.items(hist) + self.pos[: hist.size(1)]
        pad = hist.eq(self.tower.pad)
        pad[:, -1] = False
        h = self.block(x, src_key_padding_mask=pad)
        return h[:, -1]

    def forward(self, hist: Tensor, pos: Tensor, neg: Tensor) -> Tensor:
        u = self.user_state(hist)
        sp = self.tower.score(u, pos[:, None])
        sn = self.tower.score(u, neg)
        return -F.logsigmoid(sp - sn).mean()

    @torch.no_grad()
    def recommend(self, hist: Tensor, k: int) -> Tensor:
        u = self.user_state(hist)
        scores = u @ self.tower.items.weight.T
        scores.scatter_(1, hist, float("-inf"))
        return scores.topk(k, dim=1).indices


def sessions(n_items: int, batch: int, length: int):
    while True:
        hist = torch.randint(1, n_items, (batch, length))
        for row, n in zip(hist, torch.randint(0, length // 2, (batch,)).tolist()):
            row[:n] = 0
        yield hist, torch.randint(1, n_items, (batch,)), torch.randint(1, n_items, (batch, 4))


# --- driver ---
def main():
    torch.manual_seed(0)
    model = SeqRecommender(50)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    stream = sessions(50, 8, 10)
    for step in range(3):
        loss = model(*next(stream))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    print(model.recommend(next(stream)[0][:1], 3))


if __name__ == "__main__":
    main()
