"""Loads a smaller checkpoint into a larger model: vocabulary growth, position resize, depth growth."""
import io
import re
from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F

StateDict = Dict[str, torch.Tensor]


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=2)
        self.ff = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.norm(x)
        h = self.conv(h.transpose(1, 2))[..., :x.size(1)].transpose(1, 2)
        h = self.ff(F.silu(h))
        h += x
        return h


class CausalConvLM(nn.Module):
    def __init__(self, vocab, length, dim=12, depth=1):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.randn(1, length, dim).mul_(0.02))
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.tok(ids)
        x += self.pos[:, :ids.size(1)]
        for b in self.blocks:
            x = b(x)
        return self.head(x)


class Surgeon:
    def __init__(self, model: nn.Module):
        self.model = model
        self.report = []

    def resize_pos(self, old):
        n = self.model.pos.size(1)
        return F.interpolate(old.transpose(1, 2), size=n, mode="linear", align_corners=True).transpose(1, 2)

    @torch.no_grad()
    def grow_rows(self, param, old):
        n = old.size(0)
        param[:n].copy_(old)
        param[n:] = old.mean(0)
        param[n:].add_(torch.randn_like(param[n:]), alpha=0.01)

    @torch.no_grad()
    def duplicate_depth(self):
        for i, b in enumerate(self.model.blocks):
            if i >= self.old_depth:
                for p, q in zip(b.parameters(), self.model.blocks[i % self.old_depth].parameters()):
                    p.copy_(q)
                b.ff.weight.mul_(0.1)
                b.ff.bias.zero_()

    def load(self, sd: StateDict):
        sd = {re.sub(r"^module\.", "", k): v for k, v in sd.items()}
        self.old_depth = 1 + max(int(m.group(1)) for k in sd if (m := re.match(r"blocks\.(\d+)\.", k)))
        own = dict(self.model.named_parameters())
        with torch.no_grad():
            for k, v in sd.items():
                if k == "pos":
                    own[k].copy_(self.resize_pos(v))
                elif own[k].shape != v.shape:
                    self.grow_rows(own[k], v)
                    self.report.append(k)
                else:
                    own[k].copy_(v)
        self.duplicate_depth()
        return self.report


class FreezeOldRows:
    """Keeps the gradient of pretrained embedding rows at zero."""

    def __init__(self, param, n_old):
        self.n_old = n_old
        self.handle = param.register_hook(self)

    def __call__(self, grad):
        grad = grad.clone()
        grad[:self.n_old] = 0.0
        return grad


def roundtrip(model):
    buf = io.BytesIO()
    torch.save({f"module.{k}": v for k, v in model.state_dict().items()}, buf)
    buf.seek(0)
    return torch.load(buf)


def train(model, seqs, lr=1e-2):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for ids in seqs:
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
small, large = CausalConvLM(10, 6), CausalConvLM(14, 9, depth=2)
train(small, [torch.randint(0, 10, (2, 7))])
Surgeon(large).load(roundtrip(small))
FreezeOldRows(large.tok.weight, 10)
train(large, [torch.randint(0, 14, (2, 10)) for _ in range(2)])
