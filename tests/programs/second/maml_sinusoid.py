"""MAML on sinusoid regression with functional weights."""
import math
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class SinusoidTask:
    def __init__(self):
        self.amp = 0.1 + 4.9 * torch.rand(1)
        self.phase = math.pi * torch.rand(1)

    def sample(self, k):
        x = torch.rand(k, 1) * 10 - 5
        return x, self.amp * torch.sin(x + self.phase)


class MetaMLP(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.fc1 = nn.Linear(1, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, 1)

    def fast_weights(self):
        return OrderedDict((n, p.clone()) for n, p in self.named_parameters())

    def functional_forward(self, x, w):
        x = F.relu(F.linear(x, w["fc1.weight"], w["fc1.bias"]))
        x = F.relu(F.linear(x, w["fc2.weight"], w["fc2.bias"]))
        return F.linear(x, w["fc3.weight"], w["fc3.bias"])

    def forward(self, x):
        return self.functional_forward(x, dict(self.named_parameters()))


class MAML:
    def __init__(self, model, inner_lr=0.01, meta_lr=1e-3, inner_steps=2, first_order=False):
        self.model = model
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.first_order = first_order
        self.meta_opt = torch.optim.Adam(model.parameters(), lr=meta_lr)

    def adapt(self, x, y):
        w = self.model.fast_weights()
        for _ in range(self.inner_steps):
            loss = F.mse_loss(self.model.functional_forward(x, w), y)
            grads = torch.autograd.grad(loss, list(w.values()), create_graph=not self.first_order)
            for (name, p), g in zip(w.items(), grads):
                p -= self.inner_lr * g  # BUG
        return w

    def meta_step(self, tasks, k=5):
        self.meta_opt.zero_grad()
        total = 0.0
        for task in tasks:
            xs, ys = task.sample(k)
            xq, yq = task.sample(k)
            w = self.adapt(xs, ys)
            total = total + F.mse_loss(self.model.functional_forward(xq, w), yq)
        total = total / len(tasks)
        total.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.meta_opt.step()
        return total.item()


def evaluate(maml, task, k=5):
    xs, ys = task.sample(k)
    w = maml.adapt(xs, ys)
    xq, yq = task.sample(50)
    with torch.no_grad():
        return F.mse_loss(maml.model.functional_forward(xq, w), yq).item()


# --- driver ---
torch.manual_seed(0)
MAML(MetaMLP()).meta_step([SinusoidTask() for _ in range(2)])
