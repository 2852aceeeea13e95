"""BYOL with an EMA teacher, tabular augmentations and a callback list."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(sizes, norm=True):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            if norm:
                layers.append(nn.BatchNorm1d(b))
            layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


class BYOL(nn.Module):
    def __init__(self, in_dim, hidden=32, dim=16):
        super().__init__()
        self.online = nn.Sequential(mlp([in_dim, hidden, hidden]), mlp([hidden, hidden, dim]))
        self.predictor = mlp([dim, hidden, dim])
        self.target = copy.deepcopy(self.online)
        self.target.requires_grad_(False)

    def loss_fn(self, p, z):
        p = F.normalize(p, dim=-1)
        z = F.normalize(z, dim=-1)
        return 2 - 2 * (p * z).sum(dim=-1)

    def forward(self, v1, v2):
        p1 = self.predictor(self.online(v1))
        p2 = self.predictor(self.online(v2))
        with torch.no_grad():
            z1 = self.target(v1)
            z2 = self.target(v2)
        return (self.loss_fn(p1, z2) + self.loss_fn(p2, z1)).mean()


class Callback:
    def on_batch_start(self, trainer, batch):
        pass

    def on_batch_end(self, trainer, loss):
        pass


class EMACallback(Callback):
    def __init__(self, base=0.98):
        self.base = base

    @torch.no_grad()
    def on_batch_end(self, trainer, loss):
        tau = 1 - (1 - self.base) * (1 - trainer.step / max(trainer.max_steps, 1))
        model = trainer.model
        for po, pt in zip(model.online.parameters(), model.target.parameters()):
            pt.mul_(tau).add_(po, alpha=1 - tau)
        for bo, bt in zip(model.online.buffers(), model.target.buffers()):
            bt.copy_(bo)


class LossMeter(Callback):
    def __init__(self):
        self.value = torch.zeros(())

    def on_batch_end(self, trainer, loss):
        self.value.mul_(0.9).add_(loss.detach(), alpha=0.1)


class Trainer:
    def __init__(self, model, callbacks, lr=1e-2, max_steps=10):
        self.model = model
        self.callbacks = callbacks
        params = [p for p in model.parameters() if p.requires_grad]
        self.opt = torch.optim.AdamW(params, lr=lr)
        self.step = 0
        self.max_steps = max_steps

    def corrupt(self, x, rate=0.3):
        view = x.clone()
        mask = torch.rand_like(view) < rate
        shuffled = view[torch.randperm(view.shape[0])]
        view[mask] = shuffled[mask]
        return view

    def fit(self, loader):
        for x in loader:
            for cb in self.callbacks:
                cb.on_batch_start(self, x)
            loss = self.model(self.corrupt(x), self.corrupt(x))
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            self.step += 1
            for cb in self.callbacks:
                cb.on_batch_end(self, loss)


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(BYOL(12), [EMACallback(), LossMeter()])
trainer.fit([torch.randn(16, 12) for _ in range(3)])
