import math
from collections import OrderedDict

import torch
import torch.nn.functional as F


def init_params(sizes, gen=None):
    params = OrderedDict()
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        w = torch.empty(b, a).normal_(0, 1 / math.sqrt(a), generator=gen)
        params[f"w{i}"] = w.requires_grad_()
        params[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return params


def forward(params, x):
    n = len(params) // 2
    for i in range(n):
        x = F.linear(x, params[f"w{i}"], params[f"b{i}"])
        if i < n - 1:
            x = torch.tanh(x)
    return x


class SineTasks:
    def __init__(self, shots, queries):
        self.shots, self.queries = shots, queries

    def draw(self):
        amp, phase = torch.rand(1) * 4.9 + 0.1, torch.rand(1) * math.pi
        x = torch.rand(self.shots + self.queries, 1).mul_(10).sub_(5)
        y = amp * torch.sin(x - phase)
        return (x[:self.shots], y[:self.shots]), (x[self.shots:], y[self.shots:])


class InnerLoop:
    def __init__(self, lr, steps, first_order=False):
        self.lr, self.steps, self.first_order = lr, steps, first_order

    def adapt(self, params, support):
        x, y = support
        fast = OrderedDict((k, v.clone()) for k, v in params.items())
        for _ in range(self.steps):
            loss = F.mse_loss(forward(fast, x), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            for (name, w), g in zip(fast.items(), grads):
                w.sub_(self.lr * g)  # BUG
        return fast


class MetaLearner:
    def __init__(self, sizes, inner, meta_lr=1e-3):
        self.params = init_params(sizes)
        self.inner = inner
        self.opt = torch.optim.Adam(self.params.values(), lr=meta_lr)

    def meta_step(self, tasks):
        total = 0.0
        self.opt.zero_grad()
        for support, query in tasks:
            fast = self.inner.adapt(self.params, support)
            loss = F.mse_loss(forward(fast, query[0]), query[1]) / len(tasks)
            loss.backward()
            total += loss.item()
        self.opt.step()
        return total


def evaluate(learner, task):
    support, query = task
    tuned = learner.inner.adapt(learner.params, support)
    with torch.no_grad():
        return F.mse_loss(forward(tuned, query[0]), query[1]).item()


# --- driver ---
torch.manual_seed(0)
source = SineTasks(5, 5)
learner = MetaLearner([1, 8, 1], InnerLoop(lr=0.01, steps=2))
learner.meta_step([source.draw() for _ in range(2)])
