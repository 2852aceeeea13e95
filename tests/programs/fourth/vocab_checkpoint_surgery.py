"""Grow a language model's vocabulary, depth and positions from an older state dict, then tune it."""
import io
import re
from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F

State = Dict[str, torch.Tensor]
RULES = [(re.compile(r"^encoder\."), "body."), (re.compile(r"\.gamma$"), ".weight"), (re.compile(r"\.beta$"), ".bias")]


class Body(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(dim, 2, 2 * dim, 0.0, batch_first=True) for _ in range(depth))

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return x


class LM(nn.Module):
    def __init__(self, vocab, length, dim=8, depth=1):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Parameter(torch.zeros(length, dim))
        self.body, self.norm = Body(dim, depth), nn.LayerNorm(dim)
        self.bias = nn.Parameter(torch.zeros(vocab))
        nn.init.normal_(self.pos, std=0.02)

    def forward(self, ids):
        n = ids.shape[1]
        h = self.tok(ids)
        h += self.pos[:n]
        mask = torch.zeros(n, n).masked_fill_(torch.ones(n, n).triu_(1).bool(), float("-inf"))
        logits = self.norm(self.body(h, mask)) @ self.tok.weight.t()
        logits += self.bias
        return logits


def rename(state: State) -> State:
    out = {}
    for k, v in state.items():
        for pat, repl in RULES:
            k = pat.sub(repl, k)
        out[k] = v
    return out


@torch.no_grad()
def grow_rows(new: torch.Tensor, old: torch.Tensor, noise=0.02):
    n = len(old)
    new[:n] = old
    new[n:] = old.mean(0, keepdim=old.dim() > 1)
    new[n:].add_(torch.randn_like(new[n:]), alpha=noise)
    return new


@torch.no_grad()
def stretch_positions(new, old):
    up = F.interpolate(old.t().unsqueeze(0), size=len(new), mode="linear", align_corners=True)
    return new.copy_(up.squeeze(0).t())


def transplant(model: LM, state: State):
    state = rename(state)
    own = model.state_dict()
    for k, v in own.items():
        if k in ("tok.weight", "bias"):
            grow_rows(v, state[k])
        elif k == "pos":
            stretch_positions(v, state[k])
        elif k in state:
            v.copy_(state[k])
        else:
            m = re.match(r"body\.layers\.(\d+)\.(.*)", k)
            v.copy_(state[f"body.layers.0.{m.group(2)}"])
            if m.group(2) in ("linear2.weight", "self_attn.out_proj.weight"):
                v.zero_()
    return model


class FrozenRows:
    """Keeps the old rows of a table fixed by wiping their gradient and momentum."""

    def __init__(self, param, n):
        self.param, self.n = param, n
        self.keep = param.detach()[:n].clone()

    def before_step(self):
        self.param.grad[:self.n] = 0

    def after_step(self):
        with torch.no_grad():
            self.param[:self.n].copy_(self.keep)


def tune(model, frozen, batches, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr, weight_decay=0.1)
    for ids in batches:
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        frozen.before_step()
        opt.step()
        frozen.after_step()
    return loss.item()


def roundtrip(model) -> State:
    buf = io.BytesIO()
    torch.save(model.state_dict(), buf)
    buf.seek(0)
    return {k.replace("body.", "encoder."): v for k, v in torch.load(buf).items()}


# --- driver ---
torch.manual_seed(0)
old = LM(12, 6)
new = transplant(LM(16, 9, depth=2), roundtrip(old))
tune(new, FrozenRows(new.tok.weight, 12), [torch.randint(0, 16, (3, 8)) for _ in range(2)])
