"""Gesture recognition with averaged-weight targets computed through a swap context manager."""
from contextlib import contextmanager
from functools import wraps

import torch
import torch.nn as nn
import torch.nn.functional as F


class AveragedWeights:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = model, decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters()}
        self.n_updates = 0

    def update(self):
        self.n_updates += 1
        d = min(self.decay, (1 + self.n_updates) / (10 + self.n_updates))
        for n, p in self.model.named_parameters():
            self.shadow[n].sub_((1 - d) * (self.shadow[n] - p.data))

    @contextmanager
    def swapped(self):
        backup = {n: p.data.clone() for n, p in self.model.named_parameters()}
        for n, p in self.model.named_parameters():
            p.data.copy_(self.shadow[n])
        try:
            yield self.model
        finally:
            for n, p in self.model.named_parameters():
                p.data.copy_(backup[n])


def eval_mode(fn):
    @wraps(fn)
    def wrapper(self, *args, **kw):
        was = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                return fn(self, *args, **kw)
        finally:
            self.model.train(was)
    return wrapper


class GestureNet(nn.Module):
    def __init__(self, joints=5, n_classes=4, ch=12):
        super().__init__()
        self.inp = nn.Conv1d(joints * 3, ch, 1)
        self.convs = nn.ModuleList([nn.Conv1d(ch, ch, 3, padding=2 ** i, dilation=2 ** i) for i in range(3)])
        self.norms = nn.ModuleList([nn.GroupNorm(3, ch) for _ in range(3)])
        self.fc = nn.Linear(ch, n_classes)

    def forward(self, x):
        h = self.inp(x.flatten(2).transpose(1, 2))
        for conv, norm in zip(self.convs, self.norms):
            y = F.elu_(norm(conv(h)))
            h = h + y
        return self.fc(h.amax(-1))


class SelfDistillTrainer:
    def __init__(self, model, temperature=2.0, weight=0.5, lr=1e-2):
        self.model, self.T, self.weight = model, temperature, weight
        self.avg = AveragedWeights(model)
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    @eval_mode
    def soft_targets(self, x):
        with self.avg.swapped() as m:
            logits = m(x)
        return logits.div_(self.T).softmax(-1)

    @eval_mode
    def accuracy(self, loader):
        with self.avg.swapped() as m:
            hits = torch.zeros(())
            n = 0
            for x, y in loader:
                hits += (m(x).argmax(1) == y).sum()
                n += y.numel()
        return (hits / n).item()

    def step(self, x, y):
        logits = self.model(x)
        hard = F.cross_entropy(logits, y)
        target = self.soft_targets(x)
        soft = F.kl_div(F.log_softmax(logits / self.T, -1), target, reduction='batchmean') * self.T ** 2
        loss = (1 - self.weight) * hard + self.weight * soft
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.avg.update()
        return loss.item()


def center_on_root(seq):
    seq = seq.clone()
    seq -= seq[:, :, :1].clone()
    return seq / seq.abs().amax(dim=(1, 2, 3), keepdim=True).clamp_(min=1e-3)


# --- driver ---
loader = [(center_on_root(torch.randn(4, 10, 5, 3)), torch.randint(0, 4, (4,))) for _ in range(3)]
trainer = SelfDistillTrainer(GestureNet())
print([trainer.step(x, y) for x, y in loader], trainer.accuracy(loader))
