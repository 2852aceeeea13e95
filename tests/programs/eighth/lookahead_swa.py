"""Lookahead wrapper, stochastic weight averaging and batch-norm re-estimation."""
from collections import defaultdict
from itertools import chain

import torch
import torch.nn as nn


class Lookahead:
    def __init__(self, base, k=2, alpha=0.5, pullback="reset"):
        self.base, self.k, self.alpha, self.pullback = base, k, alpha, pullback
        self.slow = [[p.detach().clone() for p in g["params"]] for g in base.param_groups]
        self.count = 0

    @property
    def param_groups(self):
        return self.base.param_groups

    def zero_grad(self):
        self.base.zero_grad()

    @torch.no_grad()
    def step(self):
        self.base.step()
        self.count += 1
        if self.count % self.k:
            return
        for g, slow in zip(self.base.param_groups, self.slow):
            for p, s in zip(g["params"], slow):
                s.add_(p - s, alpha=self.alpha)
                p.copy_(s)
                buf = self.base.state[p].get("momentum_buffer")
                if self.pullback == "reset" and buf is not None:
                    buf.zero_()


class SWA:
    def __init__(self, model):
        self.model, self.n = model, 0
        self.avg = {k: torch.zeros_like(p) for k, p in model.named_parameters()}
        self.sq = {k: torch.zeros_like(p) for k, p in model.named_parameters()}

    @torch.no_grad()
    def collect(self):
        self.n += 1
        for k, p in self.model.named_parameters():
            self.avg[k].mul_((self.n - 1) / self.n).add_(p, alpha=1 / self.n)
            self.sq[k].mul_((self.n - 1) / self.n).addcmul_(p, p, value=1 / self.n)

    @torch.no_grad()
    def sample_into(self, scale=0.5):
        for k, p in self.model.named_parameters():
            var = self.sq[k].sub(self.avg[k] ** 2).clamp_(min=1e-10)
            p.copy_(self.avg[k]).add_(var.sqrt_().mul_(torch.randn_like(p)), alpha=scale)

    @torch.no_grad()
    def restore(self, saved):
        for k, p in self.model.named_parameters():
            p.copy_(saved[k])


@torch.no_grad()
def refresh_bn(model, batches):
    bns = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    momenta = {}
    for bn in bns:
        bn.running_mean.zero_()
        bn.running_var.fill_(1)
        bn.num_batches_tracked.zero_()
        momenta[bn], bn.momentum = bn.momentum, None
    model.train()
    for x, _ in batches:
        model(x)
    for bn in bns:
        bn.momentum = momenta[bn]


def make_net(d, h, c):
    return nn.Sequential(
        nn.Linear(d, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Dropout(0.1),
        nn.Linear(h, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, c))


def predictive(model, swa, x, batches, samples):
    saved = {k: p.detach().clone() for k, p in model.named_parameters()}
    total = torch.zeros(x.size(0), 3)
    for _ in range(samples):
        swa.sample_into()
        refresh_bn(model, batches)
        model.eval()
        with torch.no_grad():
            total += model(x).softmax(1)
    swa.restore(saved)
    return total.div_(samples)


def train(model, batches, epochs):
    opt = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    swa, log = SWA(model), defaultdict(list)
    for e in range(epochs):
        model.train()
        for x, y in batches:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            log["loss"].append(loss.item())
        swa.collect()
    return swa, log


# --- driver ---
torch.manual_seed(0)
net = make_net(4, 8, 3)
data = [(torch.randn(6, 4), torch.randint(0, 3, (6,))) for _ in range(2)]
swa, _ = train(net, data, epochs=2)
predictive(net, swa, data[0][0], data, samples=2)
