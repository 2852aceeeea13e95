"""Metrics gathered while training a multi label tagger, with threshold search and best weights."""
from abc import ABC, abstractmethod
from functools import wraps
import torch
import torch.nn as nn
import torch.nn.functional as F


def evaluating(fn):
    @wraps(fn)
    def inner(self, *a, **kw):
        was = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                return fn(self, *a, **kw)
        finally:
            self.model.train(was)
    return inner


class Meter(ABC):
    @abstractmethod
    def update(self, prob, target): ...

    @abstractmethod
    def value(self): ...

    def reset(self):
        for v in vars(self).values():
            if torch.is_tensor(v):
                v.zero_()


class CoOccurrence(Meter):
    def __init__(self, n):
        self.m = torch.zeros(n, n, dtype=torch.long)

    def update(self, prob, target):
        rows, t = (prob > 0.5).nonzero(as_tuple=True)
        for r, p in zip(rows.tolist(), t):
            truth = target[r].nonzero().squeeze(-1)
            self.m.index_put_((truth, p.expand_as(truth)), torch.ones_like(truth), accumulate=True)

    def value(self):
        return self.m.float().div_(self.m.sum(1, keepdim=True).clamp(min=1))


class Calibration(Meter):
    def __init__(self, bins=5):
        self.conf, self.hit, self.n = (torch.zeros(bins) for _ in range(3))

    def update(self, prob, target):
        prob, target = prob.flatten(), target.flatten()
        b = (prob * len(self.n)).long().clamp_(max=len(self.n) - 1)
        self.n.scatter_add_(0, b, torch.ones_like(prob))
        self.conf.scatter_add_(0, b, prob)
        self.hit.scatter_add_(0, b, target)

    def value(self):
        return ((self.conf - self.hit).abs_().sum() / self.n.sum().clamp_(min=1)).item()


class F1(Meter):
    def __init__(self, n, thresholds=9):
        self.tp, self.fp, self.fn = (torch.zeros(thresholds, n) for _ in range(3))

    def update(self, prob, target):
        cuts = torch.linspace(0.1, 0.9, len(self.tp))
        for i, c in enumerate(cuts):
            pred = (prob > c).float()
            self.tp[i] += (pred * target).sum(0)
            self.fp[i] += (pred * (1 - target)).sum(0)
            self.fn[i] += ((1 - pred) * target).sum(0)

    def value(self):
        f1 = 2 * self.tp / (2 * self.tp + self.fp + self.fn).clamp_(min=1)
        return f1.max(0).values.mean().item()


class Session:
    def __init__(self, model, n, lr=1e-2):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr)
        self.meters = {"co": CoOccurrence(n), "ece": Calibration(), "f1": F1(n)}
        self.pos_weight = torch.ones(n)
        self.best, self.score = [p.detach().clone() for p in model.parameters()], -1.0
        self.loss_sum = torch.zeros(())

    def train(self, batches):
        self.loss_sum.zero_()
        for x, y in batches:
            logits = self.model(x)
            loss = F.binary_cross_entropy_with_logits(logits, y, pos_weight=self.pos_weight)
            for m in self.meters.values():
                m.update(logits.detach().sigmoid(), y)
            self.loss_sum += loss.detach()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.pos_weight.mul_(0.9).add_((1 - y.mean(0)).div_(y.mean(0).add_(0.1)), alpha=0.1)

    @evaluating
    def validate(self, x, y):
        for m in self.meters.values():
            m.reset()
            m.update(self.model(x).sigmoid_(), y)
        score = self.meters["f1"].value()
        if score > self.score:
            self.score = score
            for b, p in zip(self.best, self.model.parameters()):
                b.copy_(p)
        return {k: m.value() for k, m in self.meters.items()}


# --- driver ---
torch.manual_seed(66)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(inplace=True), nn.Dropout(0.1), nn.Linear(12, 4))
session = Session(net, 4)
make = lambda: (torch.randn(5, 6), torch.randint(0, 2, (5, 4)).float())
session.train([make(), make()])
session.validate(*make())
