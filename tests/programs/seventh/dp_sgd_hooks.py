"""Differentially private SGD with per-sample gradients captured by hooks on linear layers."""
import functools
from collections import defaultdict

import torch
import torch.nn as nn


class PerSampleCapture:
    def __init__(self, model):
        self.acts = {}
        self.grads = defaultdict(dict)
        self.handles = []
        for name, m in model.named_modules():
            if isinstance(m, nn.Linear):
                self.handles.append(m.register_forward_hook(functools.partial(self._fwd, name)))
                self.handles.append(m.register_full_backward_hook(functools.partial(self._bwd, name)))

    def _fwd(self, name, module, args, out):
        self.acts[name] = args[0].detach().clone()

    def _bwd(self, name, module, gin, gout):
        g = gout[0].detach() * gout[0].size(0)
        self.grads[name]["weight"] = torch.einsum("no,ni->noi", g, self.acts[name])
        self.grads[name]["bias"] = g

    def items(self):
        for name, d in self.grads.items():
            for k, g in d.items():
                yield f"{name}.{k}", g

    def close(self):
        for h in self.handles:
            h.remove()
        self.acts.clear()
        self.grads.clear()


class ActivationJitter:
    """Adds noise to pre-activations while training."""

    def __init__(self, std):
        self.std = std

    def __call__(self, module, args, out):
        if module.training:
            out.add_(torch.randn_like(out), alpha=self.std)


class Accountant:
    def __init__(self, sigma, q):
        self.orders = torch.arange(2, 32).float()
        self.rdp = torch.zeros_like(self.orders)
        self.sigma, self.q = sigma, q

    def tick(self):
        self.rdp.add_(self.orders, alpha=self.q ** 2 / (2 * self.sigma ** 2))

    def epsilon(self, delta):
        eps = self.rdp + torch.log(torch.tensor(1 / delta)) / (self.orders - 1)
        return eps.min().item()


class DPTrainer:
    def __init__(self, model, clip=1.0, sigma=1.1, lr=0.1, q=0.01):
        self.model, self.clip, self.sigma = model, clip, sigma
        self.capture = PerSampleCapture(model)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.acc = Accountant(sigma, q)

    def step(self, x, y):
        self.opt.zero_grad(set_to_none=False)
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        norms = torch.zeros(len(x))
        for _, g in self.capture.items():
            norms += g.flatten(1).pow(2).sum(1)
        factor = norms.sqrt_().add_(1e-6).reciprocal_().mul_(self.clip).clamp_(max=1.0)
        params = dict(self.model.named_parameters())
        for name, g in self.capture.items():
            g.mul_(factor.view(-1, *[1] * (g.dim() - 1)))
            p = params[name]
            p.grad.copy_(g.sum(0))
            p.grad.add_(torch.randn_like(p), alpha=self.sigma * self.clip).div_(len(x))
        self.opt.step()
        self.acc.tick()
        return loss.item()


def build(d, c, width=10, jitter=0.05):
    net = nn.Sequential(nn.Linear(d, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, c))
    for m in (net[0], net[2]):
        m.register_forward_hook(ActivationJitter(jitter))
    return net


def run(batches, d=5, c=3):
    t = DPTrainer(build(d, c))
    try:
        losses = [t.step(x, y) for x, y in batches]
    finally:
        t.capture.close()
    return losses, t.acc.epsilon(1e-5)


# --- driver ---
torch.manual_seed(0)
run([(torch.randn(6, 5), torch.randint(3, (6,))) for _ in range(2)])
