import contextlib
from typing import Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F


class LockedDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or not self.p:
            return x
        mask = x.new_empty(1, x.size(1), x.size(2)).bernoulli_(1 - self.p)
        mask.div_(1 - self.p)
        return x * mask


class ElmanLayer(nn.Module):
    def __init__(self, n_in, hid):
        super().__init__()
        self.ih = nn.Linear(n_in, hid)
        self.hh = nn.Linear(hid, hid, bias=False)
        nn.init.orthogonal_(self.hh.weight)

    def forward(self, x):
        h = x.new_zeros(x.size(1), self.hh.in_features)
        outs = []
        for xt in self.ih(x):
            h = torch.tanh(xt + self.hh(h))
            outs.append(h)
        return torch.stack(outs)


@contextlib.contextmanager
def drop_connect(layers, p, enabled=True) -> Iterator[None]:
    """Zero a random part of the recurrent matrices for the span of the block."""
    if not enabled or p == 0:
        yield
        return
    raw = [l.hh.weight.data.clone() for l in layers]
    for l in layers:
        w = l.hh.weight.data
        w.mul_(torch.rand_like(w).gt_(p)).div_(1 - p)
    try:
        yield
    finally:
        for l, w in zip(layers, raw):
            l.hh.weight.data.copy_(w)  # BUG silent


class AWDModel(nn.Module):
    def __init__(self, vocab, emb=12, hid=12, n_layers=2, wdrop=0.5, odrop=0.1):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        dims = [emb] + [hid] * (n_layers - 1) + [emb]
        self.layers = nn.ModuleList(ElmanLayer(a, b) for a, b in zip(dims, dims[1:]))
        self.drop = LockedDropout(odrop)
        self.bias = nn.Parameter(torch.zeros(vocab))
        self.wdrop = wdrop
        self.emb.weight.data.uniform_(-0.1, 0.1)

    def forward(self, ids):
        x = self.drop(self.emb(ids))
        with drop_connect(self.layers, self.wdrop, self.training):
            for layer in self.layers:
                x = self.drop(layer(x))
        logits = F.linear(x, self.emb.weight)
        logits += self.bias
        return logits, x


def ar_tar(loss, out, alpha, beta):
    if alpha:
        loss = loss + alpha * out.pow(2).mean()
    if beta:
        loss = loss + beta * (out[1:] - out[:-1]).pow(2).mean()
    return loss


class NTASGD:
    """Switches on weight averaging once validation stops improving."""

    def __init__(self, model, lr, nonmono=2):
        self.model, self.nonmono = model, nonmono
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, weight_decay=1.2e-6)
        self.val, self.avg, self.n = [], None, 0

    def step(self):
        self.opt.step()
        if self.avg is not None:
            self.n += 1
            for a, p in zip(self.avg, self.model.parameters()):
                a.add_((p.detach() - a) / self.n)

    def report(self, v):
        if self.avg is None and len(self.val) > self.nonmono and v > min(self.val[:-self.nonmono]):
            self.avg = [p.detach().clone() for p in self.model.parameters()]
        self.val.append(v)


def train(model, stream, lr=1.0):
    opt = NTASGD(model, lr)
    for ids in stream:
        logits, out = model(ids[:-1])
        loss = ar_tar(F.cross_entropy(logits.flatten(0, 1), ids[1:].flatten()), out, 2.0, 1.0)
        model.zero_grad()
        loss.backward()
        opt.step()
        opt.report(loss.item())
    return opt.val


# --- driver ---
torch.manual_seed(0)
train(AWDModel(15), [torch.randint(0, 15, (7, 3)) for _ in range(2)])
