"""MAML on sinusoid regression with functional weights."""
import math
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class SineTask:
    def __init__(self):
        self.amp = torch.empty(1).uniform_(0.1, 5.0)
        self.phase = torch.empty(1).uniform_(0, math.pi)

    def sample(self, k):
        x = torch.empty(k, 1).uniform_(-5, 5)
        return x, self.amp * torch.sin(x + self.phase)


class MetaMLP(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.params = nn.ParameterDict()
        dims = [1, hidden, hidden, 1]
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            w = nn.Parameter(torch.empty(b, a))
            nn.init.kaiming_uniform_(w, a=math.sqrt(5))
            self.params[f'w{i}'] = w
            self.params[f'b{i}'] = nn.Parameter(torch.zeros(b))
        self.depth = len(dims) - 1

    def fast_weights(self):
        return OrderedDict((k, p.clone()) for k, p in self.params.items())

    def forward(self, x, weights=None):
        weights = self.params if weights is None else weights
        for i in range(self.depth):
            x = F.linear(x, weights[f'w{i}'], weights[f'b{i}'])
            if i < self.depth - 1:
                x = torch.tanh(x)
        return x


class InnerLoop:
    def __init__(self, lr=0.01, steps=2, first_order=False):
        self.lr, self.steps, self.first_order = lr, steps, first_order

    def adapt(self, model, x, y):
        fast = model.fast_weights()
        for _ in range(self.steps):
            loss = F.mse_loss(model(x, fast), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            for w, g in zip(fast.values(), grads):
                w.sub_(self.lr * g)  # BUG
        return fast


class MetaLearner:
    def __init__(self, model, inner, meta_lr=1e-3, shots=5, queries=10):
        self.model, self.inner = model, inner
        self.opt = torch.optim.Adam(model.parameters(), lr=meta_lr)
        self.shots, self.queries = shots, queries

    def task_loss(self, task):
        xs, ys = task.sample(self.shots)
        xq, yq = task.sample(self.queries)
        fast = self.inner.adapt(self.model, xs, ys)
        return F.mse_loss(self.model(xq, fast), yq)

    def meta_step(self, tasks):
        self.opt.zero_grad()
        total = 0.0
        for task in tasks:
            loss = self.task_loss(task) / len(tasks)
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.opt.step()
        return total


# --- driver ---
learner = MetaLearner(MetaMLP(), InnerLoop())
for it in range(2):
    print(it, learner.meta_step([SineTask() for _ in range(3)]))
