"""Load an old checkpoint into a changed architecture and fine-tune it."""
import logging
import re
from collections import OrderedDict
from typing import Callable, Dict

import torch
from torch import nn

log = logging.getLogger(__name__)
RULES: Dict[str, Callable] = {}


def rule(pattern):
    def deco(fn):
        RULES[pattern] = fn
        return fn
    return deco


class TextCNN(nn.Module):
    def __init__(self, vocab, dim, widths=(2, 3), ch=6, classes=3, max_len=10):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(max_len, dim))
        self.convs = nn.ModuleList(nn.Conv1d(dim, ch, w) for w in widths)
        self.fc = nn.Linear(ch * len(widths), classes)

    def forward(self, ids):
        x = self.tok(ids)
        x += self.pos[: ids.size(1)]
        x = x.transpose(1, 2)
        pooled = [nn.functional.relu_(c(x)).amax(-1) for c in self.convs]
        logits = self.fc(torch.cat(pooled, 1))
        if not self.training:
            logits[:, -1].sub_(0.1)
        return logits


@rule(r"^tok\.weight$")
def grow_vocab(old, new):
    n = min(len(old), len(new))
    new[:n] = old[:n]
    if len(new) > n:
        new[n:] = old.mean(0)
        new[n:] += 0.01 * torch.randn_like(new[n:])


@rule(r"^pos$")
def stretch_positions(old, new):
    y = nn.functional.interpolate(old.t()[None], size=len(new), mode="linear", align_corners=True)
    new.copy_(y[0].t())


@rule(r"^fc\.(weight|bias)$")
def grow_classes(old, new):
    new.zero_()
    new[: len(old)].copy_(old)


def strip_prefix(state, prefix="module."):
    return OrderedDict((k[len(prefix):] if k.startswith(prefix) else k, v) for k, v in state.items())


@torch.no_grad()
def transplant(state, model: nn.Module):
    state = strip_prefix(state)
    report = {"copied": [], "adapted": [], "missing": []}
    for name, dst in model.state_dict().items():
        src = state.get(name)
        if src is None:
            report["missing"].append(name)
        elif src.shape == dst.shape:
            dst.copy_(src)
            report["copied"].append(name)
        else:
            fn = next((f for p, f in RULES.items() if re.match(p, name)), None)
            if fn is None:
                raise KeyError(f"no rule for {name}: {tuple(src.shape)} -> {tuple(dst.shape)}")
            fn(src, dst)
            report["adapted"].append(name)
    log.info("transplant: %s", {k: len(v) for k, v in report.items()})
    return report


def soup(states):
    avg = OrderedDict((k, torch.zeros_like(v)) for k, v in states[0].items())
    for s in states:
        for k, v in s.items():
            avg[k].add_(v, alpha=1 / len(states))
    return avg


def finetune(model, batches, lr=1e-2, l2sp=1e-2):
    anchor = {n: p.detach().clone() for n, p in model.named_parameters()}
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for ids, y in batches:
        loss = nn.functional.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        with torch.no_grad():
            for n, p in model.named_parameters():
                p.grad.add_(p - anchor[n], alpha=l2sp)
                if n.startswith("tok"):
                    p.grad[0].zero_()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
donors = [{f"module.{k}": v for k, v in TextCNN(12, 6).state_dict().items()} for _ in range(2)]
model = TextCNN(16, 6, classes=4, max_len=14)
transplant(soup(donors), model)
finetune(model, [(torch.randint(16, (4, 11)), torch.randint(4, (4,))) for _ in range(2)])
model.eval()
model(torch.randint(16, (2, 11)))
