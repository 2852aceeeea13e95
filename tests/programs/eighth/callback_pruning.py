"""Trainer with a callback system; one of the callbacks keeps the network sparse."""
from typing import Iterable, List

import torch
import torch.nn as nn


class Callback:
    def on_train_begin(self, trainer): pass
    def on_batch_begin(self, trainer): pass
    def on_loss_computed(self, trainer): pass
    def on_backward_end(self, trainer): pass
    def on_step_end(self, trainer): pass


class CallbackList(Callback):
    def __init__(self, cbs: Iterable[Callback]):
        self.cbs: List[Callback] = list(cbs)

    def fire(self, event, trainer):
        for cb in self.cbs:
            getattr(cb, event)(trainer)


class LossHistory(Callback):
    def on_train_begin(self, trainer):
        self.values = torch.zeros(64)
        self.n = 0

    def on_loss_computed(self, trainer):
        self.values[self.n] = trainer.loss.detach()
        self.n += 1


class GradNoise(Callback):
    def __init__(self, std):
        self.std = std

    def on_backward_end(self, trainer):
        for p in trainer.model.parameters():
            p.grad.add_(torch.randn_like(p.grad), alpha=self.std)


class MagnitudePruning(Callback):
    def __init__(self, final_sparsity, ramp_steps):
        self.final, self.ramp = final_sparsity, ramp_steps
        self.step = 0
        self.masks = {}

    def targets(self, model):
        return {n: m for n, m in model.named_modules() if isinstance(m, nn.Linear)}

    def sparsity(self):
        frac = min(1.0, self.step / self.ramp)
        return self.final * (1 - (1 - frac) ** 3)

    def on_loss_computed(self, trainer):
        self.step += 1
        for name, lin in self.targets(trainer.model).items():
            k = int(self.sparsity() * lin.weight.numel())
            if k == 0:
                continue
            thr = lin.weight.detach().abs().flatten().kthvalue(k).values
            self.masks[name] = lin.weight.detach().abs() > thr
            with torch.no_grad():
                lin.weight.masked_fill_(~self.masks[name], 0.0)  # BUG

    def on_backward_end(self, trainer):
        for name, lin in self.targets(trainer.model).items():
            if name in self.masks:
                lin.weight.grad.mul_(self.masks[name])


class Trainer:
    def __init__(self, model, loss_fn, opt, callbacks=()):
        self.model, self.loss_fn, self.opt = model, loss_fn, opt
        self.callbacks = CallbackList(callbacks)
        self.loss = None

    def fit(self, batches):
        fire = self.callbacks.fire
        fire("on_train_begin", self)
        for x, y in batches:
            fire("on_batch_begin", self)
            self.loss = self.loss_fn(self.model(x), y)
            fire("on_loss_computed", self)
            self.opt.zero_grad()
            self.loss.backward()
            fire("on_backward_end", self)
            self.opt.step()
            fire("on_step_end", self)
        return self


def build_mlp(sizes, act=nn.ReLU):
    mods = []
    for a, b in zip(sizes, sizes[1:]):
        mods += [nn.Linear(a, b), act(inplace=True)]
    return nn.Sequential(*mods[:-1])


def density(model):
    w = [p for p in model.parameters() if p.ndim == 2]
    return sum(int((p != 0).sum()) for p in w) / sum(p.numel() for p in w)


# --- driver ---
torch.manual_seed(0)
net = build_mlp([6, 16, 16, 2])
cbs = [LossHistory(), MagnitudePruning(0.5, ramp_steps=2), GradNoise(1e-4)]
trainer = Trainer(net, nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.1), cbs)
trainer.fit([(torch.randn(8, 6), torch.randint(0, 2, (8,))) for _ in range(2)])
