from contextlib import contextmanager

import torch
import torch.nn as nn


class AveragedWeights:
    def __init__(self, module):
        self.avg = {k: v.detach().clone() for k, v in module.named_parameters()}
        self.backup = {k: torch.empty_like(v) for k, v in self.avg.items()}
        self.n = torch.zeros((), dtype=torch.long)

    @torch.no_grad()
    def absorb(self, module):
        self.n += 1
        for k, p in module.named_parameters():
            self.avg[k].add_((p - self.avg[k]) / self.n)

    @contextmanager
    def swapped_into(self, module):
        with torch.no_grad():
            for k, p in module.named_parameters():
                self.backup[k].copy_(p)
                p.copy_(self.avg[k])
        try:
            yield module
        finally:
            with torch.no_grad():
                for k, p in module.named_parameters():
                    p.copy_(self.backup[k])


class Meter:
    def __init__(self, classes):
        self.conf = torch.zeros(classes, classes, dtype=torch.long)
        self.bins = torch.zeros(5, 3)

    def update(self, logits, y):
        prob, pred = logits.softmax(-1).max(-1)
        self.conf.index_put_((y, pred), torch.ones_like(y), accumulate=True)
        b = (prob * 5).long().clamp_(max=4)
        self.bins[:, 0].index_add_(0, b, torch.ones_like(prob))
        self.bins[:, 1].index_add_(0, b, prob)
        self.bins[:, 2].index_add_(0, b, (pred == y).float())

    @property
    def accuracy(self):
        return (self.conf.diagonal().sum() / self.conf.sum()).item()

    @property
    def ece(self):
        n = self.bins[:, 0].clamp(min=1)
        gap = (self.bins[:, 1] / n - self.bins[:, 2] / n).abs_()
        return (gap * self.bins[:, 0]).sum().div_(self.bins[:, 0].sum()).item()


class TabNet(nn.Module):
    def __init__(self, cards, numeric, classes, d=4):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, d) for c in cards)
        self.net = nn.Sequential(nn.Linear(d * len(cards) + numeric, 16), nn.BatchNorm1d(16), nn.ReLU(inplace=True),
                                 nn.Dropout(0.1), nn.Linear(16, classes))
        for e in self.embs:
            nn.init.trunc_normal_(e.weight, std=0.02)

    def forward(self, cat, num):
        cols = [e(c) for e, c in zip(self.embs, cat.unbind(1))]
        return self.net(torch.cat(cols + [num], 1))


def evaluate(model, batches, classes):
    was = model.training
    model.eval()
    meter = Meter(classes)
    with torch.inference_mode():
        for cat, num, y in batches:
            meter.update(model(cat, num), y)
    model.train(was)
    return meter.accuracy, meter.ece


def fit(model, swa, train, valid, classes, epochs=1, swa_start=0):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        for cat, num, y in train:
            loss = nn.functional.cross_entropy(model(cat, num), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if epoch >= swa_start:
                swa.absorb(model)
                with swa.swapped_into(model) as m:
                    print(evaluate(m, valid, classes))
    return loss.item()


# --- driver ---
torch.manual_seed(14)
mk = lambda n: (torch.randint(0, 3, (n, 2)), torch.randn(n, 3), torch.randint(0, 4, (n,)))
model = TabNet((3, 3), 3, 4)
fit(model, AveragedWeights(model), [mk(8), mk(8)], [mk(6)], 4)
