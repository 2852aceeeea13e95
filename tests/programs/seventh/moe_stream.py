"""Sparse mixture-of-experts feed-forward writing back into the token stream."""
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEArgs:
    dim: int = 8
    hidden: int = 16
    n_experts: int = 4
    aux_weight: float = 0.01
    z_weight: float = 1e-3


class Routing(NamedTuple):
    expert: torch.Tensor
    gate: torch.Tensor
    aux: torch.Tensor


class Router(nn.Module):
    def __init__(self, args: MoEArgs):
        super().__init__()
        self.args = args
        self.proj = nn.Linear(args.dim, args.n_experts, bias=False)
        self.register_buffer("load", torch.zeros(args.n_experts))

    def forward(self, tokens):
        logits = self.proj(tokens)
        probs = logits.softmax(-1)
        gate, expert = probs.max(-1)
        counts = torch.bincount(expert, minlength=self.args.n_experts).float()
        self.load.mul_(0.9).add_(counts / counts.sum(), alpha=0.1)
        frac = counts / counts.sum()
        aux = self.args.n_experts * (frac * probs.mean(0)).sum()
        z = logits.logsumexp(-1).pow(2).mean()
        return Routing(expert, gate, self.args.aux_weight * aux + self.args.z_weight * z)


class Expert(nn.Module):
    def __init__(self, args: MoEArgs):
        super().__init__()
        self.w1 = nn.Linear(args.dim, args.hidden)
        self.w2 = nn.Linear(args.hidden, args.dim)

    def forward(self, x):
        return self.w2(F.gelu(self.w1(x)))


class SwitchFFN(nn.Module):
    def __init__(self, args: MoEArgs):
        super().__init__()
        self.router = Router(args)
        self.experts = nn.ModuleList(Expert(args) for _ in range(args.n_experts))

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        route = self.router(flat)
        for i, expert in enumerate(self.experts):
            rows = (route.expert == i).nonzero(as_tuple=True)[0]
            if rows.numel() == 0:
                continue
            out = expert(flat[rows]) * route.gate[rows, None]
            flat.index_add_(0, rows, out)  # BUG
        return flat.view_as(x), route.aux


class SwitchLM(nn.Module):
    def __init__(self, vocab, args: MoEArgs, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, args.dim)
        self.mix = nn.ModuleList(nn.Conv1d(args.dim, args.dim, 3, padding=2) for _ in range(depth))
        self.ffn = nn.ModuleList(SwitchFFN(args) for _ in range(depth))
        self.head = nn.Linear(args.dim, vocab)

    def forward(self, ids):
        x, total = self.emb(ids), 0.0
        for conv, ffn in zip(self.mix, self.ffn):
            x = x + conv(x.transpose(1, 2))[..., : ids.size(1)].transpose(1, 2)
            x, aux = ffn(x)
            total = total + aux
        return self.head(x), total


def train_step(model, opt, ids):
    logits, aux = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()) + aux
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
lm = SwitchLM(15, MoEArgs())
train_step(lm, torch.optim.Adam(lm.parameters(), 1e-3), torch.randint(15, (2, 9)))
