import contextlib
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Callback:
    def on_step_end(self, trainer):
        pass

    def on_epoch_end(self, trainer):
        pass


class EMA(Callback):
    def __init__(self, model, decay=0.99):
        self.decay, self.t = decay, 0
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def on_step_end(self, trainer):
        self.t += 1
        d = min(self.decay, (1 + self.t) / (10 + self.t))
        for k, v in trainer.model.state_dict().items():
            if v.is_floating_point():
                self.shadow[k].mul_(d).add_(v, alpha=1 - d)
            else:
                self.shadow[k].copy_(v)

    @contextlib.contextmanager
    def applied(self, model):
        backup = {k: v.clone() for k, v in model.state_dict().items()}
        try:
            with torch.no_grad():
                for k, v in model.state_dict().items():
                    v.copy_(self.shadow[k])
            yield model
        finally:
            for k, v in model.state_dict().items():
                v.data.copy_(backup[k])


class SWAG(Callback):
    def __init__(self, model, rank=3):
        n = sum(p.numel() for p in model.parameters())
        self.mean, self.sq = torch.zeros(n), torch.zeros(n)
        self.dev, self.count, self.rank = torch.zeros(rank, n), 0, rank

    @torch.no_grad()
    def on_epoch_end(self, trainer):
        w = nn.utils.parameters_to_vector(trainer.model.parameters())
        self.count += 1
        self.mean += (w - self.mean) / self.count
        self.sq += (w.square() - self.sq) / self.count
        self.dev[(self.count - 1) % self.rank] = w - self.mean

    def sample(self, scale=0.5):
        var = (self.sq - self.mean.square()).clamp_(min=1e-8)
        w = var.sqrt_().mul_(torch.randn_like(self.mean)).mul_(math.sqrt(scale / 2))
        w += self.mean
        k = min(self.count, self.rank)
        if k > 1:
            w.add_(torch.randn(k) @ self.dev[:k], alpha=math.sqrt(scale / (2 * (k - 1))))
        return w


class HeteroNet(nn.Module):
    def __init__(self, d=1, width=12):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, width), nn.BatchNorm1d(width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x):
        mean, raw = self.body(x).split(1, -1)
        return mean, F.softplus(raw).add(1e-3)


class Trainer:
    def __init__(self, model, callbacks, lr=1e-2):
        self.model, self.callbacks = model, callbacks
        self.opt = torch.optim.SGD(model.parameters(), lr, momentum=0.9)
        self.running = torch.zeros(())

    def fit(self, batches, epochs):
        for _ in range(epochs):
            for x, y in batches:
                mean, var = self.model(x)
                loss = F.gaussian_nll_loss(mean, y, var)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.running.mul_(0.9).add_(loss.detach(), alpha=0.1)
                for cb in self.callbacks:
                    cb.on_step_end(self)
            self.evaluate(batches)
            for cb in self.callbacks:
                cb.on_epoch_end(self)

    @torch.no_grad()
    def evaluate(self, batches):
        ema = next(c for c in self.callbacks if isinstance(c, EMA))
        with ema.applied(self.model) as m:
            m.eval()
            total = torch.zeros(())
            for x, y in batches:
                total += (m(x)[0] - y).square().mean()
        self.model.train()
        return total.div_(len(batches)).item()


@torch.no_grad()
def predict(model, swag, x, n=3):
    probe, preds = copy.deepcopy(model).eval(), torch.zeros(n, len(x), 1)
    for i in range(n):
        nn.utils.vector_to_parameters(swag.sample(), probe.parameters())
        preds[i] = probe(x)[0]
    return preds.mean(0), preds.std(0)


# --- driver ---
torch.manual_seed(0)
model = HeteroNet()
ema, swag = EMA(model), SWAG(model)
x = torch.linspace(-2, 2, 16).unsqueeze(1)
batches = [(c, torch.sin(2 * c) + 0.1 * torch.randn_like(c)) for c in x[torch.randperm(16)].chunk(2)]
Trainer(model, [ema, swag]).fit(batches, 2)
predict(model, swag, x)
