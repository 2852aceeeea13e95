import math
from dataclasses import dataclass
from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEConfig:
    d_model: int = 16
    d_ff: int = 24
    n_experts: int = 4
    capacity_factor: float = 1.0
    aux_weight: float = 0.01
    z_weight: float = 1e-3
    vocab: int = 20


class Expert(nn.Module):
    def __init__(self, c: MoEConfig):
        super().__init__()
        self.wi = nn.Linear(c.d_model, c.d_ff, bias=False)
        self.wo = nn.Linear(c.d_ff, c.d_model, bias=False)

    def forward(self, x):
        return self.wo(F.relu(self.wi(x), inplace=True))


class Top1Router(nn.Module):
    def __init__(self, c: MoEConfig):
        super().__init__()
        self.c = c
        self.gate = nn.Linear(c.d_model, c.n_experts, bias=False)
        nn.init.normal_(self.gate.weight, std=0.02)

    def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        logits = self.gate(x)
        probs = logits.softmax(-1)
        expert = probs.argmax(-1)
        onehot = torch.zeros_like(probs, dtype=torch.long).scatter_(1, expert[:, None], 1)
        rank = onehot.cumsum(0).mul_(onehot).sum(1).sub_(1)
        cap = math.ceil(self.c.capacity_factor * x.size(0) / self.c.n_experts)
        overflow = rank >= cap
        aux = self.balance_loss(probs, onehot) + self.c.z_weight * logits.logsumexp(-1).pow(2).mean()
        rows = overflow.nonzero(as_tuple=True)[0]
        probs.index_put_((rows, expert[rows]), probs.new_zeros(()))  # BUG
        return probs, expert, aux

    def balance_loss(self, probs, onehot):
        share = onehot.float().mean(0)
        return self.c.aux_weight * self.c.n_experts * (share * probs.mean(0)).sum()


class SwitchFFN(nn.Module):
    def __init__(self, c: MoEConfig):
        super().__init__()
        self.router = Top1Router(c)
        self.experts = nn.ModuleList(Expert(c) for _ in range(c.n_experts))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs, expert, aux = self.router(x)
        out = torch.zeros_like(x)
        for i, ffn in enumerate(self.experts):
            idx = (expert == i).nonzero(as_tuple=True)[0]
            if idx.numel():
                out.index_copy_(0, idx, ffn(x[idx]) * probs[idx, i].unsqueeze(1))
        return out.view(shape), aux


class SwitchLM(nn.Module):
    def __init__(self, c: MoEConfig):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.d_model)
        self.mix = nn.GRU(c.d_model, c.d_model, batch_first=True)
        self.norm = nn.LayerNorm(c.d_model)
        self.ffn = SwitchFFN(c)

    def forward(self, ids):
        h, _ = self.mix(self.emb(ids))
        y, aux = self.ffn(self.norm(h))
        return F.linear(h + y, self.emb.weight), aux


def train_step(model, opt, ids):
    logits, aux = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()) + aux
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
lm = SwitchLM(MoEConfig())
adam = torch.optim.Adam(lm.parameters(), lr=1e-3)
train_step(lm, adam, torch.randint(0, 20, (3, 9)))
