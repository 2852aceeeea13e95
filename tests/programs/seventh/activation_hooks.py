"""Steering of hidden units with forward hooks, plus sparsity regularisation."""
import weakref
from typing import Dict, List

import torch
from torch import nn


class Handle:
    def __init__(self):
        self._hooks: List[torch.utils.hooks.RemovableHandle] = []

    def add(self, h):
        self._hooks.append(h)

    def close(self):
        while self._hooks:
            self._hooks.pop().remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


class Probe:
    """Keeps the mean activity of every watched module."""

    def __init__(self):
        self.mean: Dict[str, torch.Tensor] = {}

    def __call__(self, name):
        ref = weakref.ref(self)

        def hook(module, inputs, output):
            probe = ref()
            if probe is None:
                return
            m = output.detach().mean(0)
            if name in probe.mean:
                probe.mean[name].mul_(0.9).add_(m, alpha=0.1)
            else:
                probe.mean[name] = m.clone()
        return hook


def ablate(units):
    index = torch.as_tensor(units)

    def hook(module, inputs, output):
        output.index_fill_(-1, index, 0.0)  # BUG
    return hook


class GatedMLP(nn.Module):
    def __init__(self, d_in, d_hidden, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_hidden)
        self.gate = nn.Linear(d_in, d_hidden)
        self.act = nn.Sigmoid()
        self.fc2 = nn.Linear(d_hidden, d_out)

    def forward(self, x):
        return self.fc2(self.fc1(x) * self.act(self.gate(x)))


class Experiment:
    def __init__(self, model, lr=1e-2, l1=1e-3):
        self.model, self.l1 = model, l1
        self.opt = torch.optim.Adam(model.parameters(), lr)
        self.probe = Probe()

    def attach(self, units):
        handle = Handle()
        for name, mod in self.model.named_modules():
            if isinstance(mod, nn.Sigmoid):
                handle.add(mod.register_forward_hook(self.probe(name)))
                handle.add(mod.register_forward_hook(ablate(units)))
        return handle

    def penalty(self):
        return self.l1 * sum(p.abs().sum() for n, p in self.model.named_parameters() if n.endswith("weight"))

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y) + self.penalty()
        loss.backward()
        self.opt.step()
        return loss.item()


def run(model, batches, units):
    exp = Experiment(model)
    with exp.attach(units):
        losses = [exp.step(x, y) for x, y in batches]
    return losses, exp.probe.mean


# --- driver ---
torch.manual_seed(0)
run(GatedMLP(5, 12, 2), [(torch.randn(6, 5), torch.randn(6, 2))], units=[0, 3])
