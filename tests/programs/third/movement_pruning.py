"""Movement pruning: scores follow weight times gradient, masks are refreshed between steps."""
import json
from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskBook:
    def __init__(self, model: nn.Module, skip=("head",)):
        self.weights: Dict[str, nn.Parameter] = {
            n: p for n, p in model.named_parameters() if p.dim() > 1 and not n.startswith(skip)
        }
        self.masks = {n: torch.ones_like(p, dtype=torch.bool) for n, p in self.weights.items()}
        self.scores = {n: torch.zeros_like(p) for n, p in self.weights.items()}

    @torch.no_grad()
    def accumulate(self):
        for n, p in self.weights.items():
            self.scores[n].addcmul_(p, p.grad, value=-1.0)

    @torch.no_grad()
    def refresh(self, sparsity: float):
        flat = torch.cat([s.flatten() for s in self.scores.values()])
        k = int(sparsity * flat.numel())
        if k == 0:
            return
        cut = flat.kthvalue(k).values
        for n, s in self.scores.items():
            torch.gt(s, cut, out=self.masks[n])

    @torch.no_grad()
    def enforce(self):
        for n, p in self.weights.items():
            p.masked_fill_(~self.masks[n], 0.0)

    def zero_masked_grads(self):
        for n, p in self.weights.items():
            if p.grad is not None:
                p.grad[~self.masks[n]] = 0

    def summary(self) -> str:
        return json.dumps({n: round(m.float().mean().item(), 3) for n, m in self.masks.items()})


def cubic(step, total, final):
    frac = min(1.0, step / total)
    return final * (1 - (1 - frac) ** 3)


class Encoder(nn.Module):
    def __init__(self, vocab=20, d=8, classes=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.q, self.k, self.v = (nn.Linear(d, d) for _ in range(3))
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(inplace=True), nn.Linear(2 * d, d))
        self.head = nn.Linear(d, classes)

    def forward(self, ids):
        pad = ids == 0
        x = self.emb(ids)
        att = self.q(x) @ self.k(x).transpose(-1, -2)
        att.div_(x.shape[-1] ** 0.5)
        att.masked_fill_(pad[:, None], -1e4)
        x = x + att.softmax(-1) @ self.v(x)
        x = x + self.ff(x)
        keep = (~pad).float().unsqueeze(-1)
        return self.head((x * keep).sum(1) / keep.sum(1).clamp_(min=1))


def train(model, book, batches, total=4, final=0.5):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step, (ids, y) in enumerate(batches, 1):
        loss = F.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        book.accumulate()
        book.zero_masked_grads()
        opt.step()
        book.refresh(cubic(step, total, final))
        book.enforce()
    return book.summary()


# --- driver ---
torch.manual_seed(52)
net = Encoder()
data = [(torch.randint(0, 20, (4, 6)), torch.randint(0, 2, (4,))) for _ in range(2)]
train(net, MaskBook(net), data)
