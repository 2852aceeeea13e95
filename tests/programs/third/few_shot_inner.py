"""Few-shot regression with an explicit inner loop and multi-step outer loss."""
import math
from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn


class SineTasks:
    def __init__(self, shots, seed=0):
        self.shots = shots
        self.gen = torch.Generator().manual_seed(seed)

    def _uniform(self, lo, hi, *shape):
        return lo + (hi - lo) * torch.rand(*shape, generator=self.gen)

    def draw(self):
        amp, phase = self._uniform(0.1, 5, 1), self._uniform(0, math.pi, 1)
        xs, xq = (self._uniform(-5, 5, self.shots, 1) for _ in range(2))
        f = lambda x: amp * torch.sin(x + phase)
        return (xs, f(xs)), (xq, f(xq))


def init_params(width):
    shapes = OrderedDict(w1=(width, 1), b1=(width,), w2=(width, width), b2=(width,), w3=(1, width), b3=(1,))
    out = OrderedDict()
    for k, s in shapes.items():
        out[k] = nn.Parameter(torch.randn(s) / math.sqrt(s[-1]) if k[0] == "w" else torch.zeros(s))
    return out


def mlp(params, x):
    x = torch.tanh(F.linear(x, params["w1"], params["b1"]))
    x = torch.tanh(F.linear(x, params["w2"], params["b2"]))
    return F.linear(x, params["w3"], params["b3"])


class InnerLoop:
    def __init__(self, lr, steps):
        self.lr = lr
        self.steps = steps

    def weights(self):
        w = torch.linspace(0.5, 1.0, self.steps)
        return w / w.sum()

    def adapt(self, params, support, query):
        fast = OrderedDict((k, p.clone()) for k, p in params.items())
        outer = 0.0
        for w in self.weights():
            inner = F.mse_loss(mlp(fast, support[0]), support[1])
            grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            for p, g in zip(fast.values(), grads):
                p.sub_(self.lr * g)  # BUG
            outer = outer + w * F.mse_loss(mlp(fast, query[0]), query[1])
        return outer


def meta_train(tasks, params, loop, meta_lr=1e-3, iters=1, batch=2):
    opt = torch.optim.Adam(params.values(), lr=meta_lr)
    for _ in range(iters):
        opt.zero_grad()
        loss = sum(loop.adapt(params, *tasks.draw()) for _ in range(batch)) / batch
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(16)
meta_train(SineTasks(5), init_params(8), InnerLoop(0.01, 2))
