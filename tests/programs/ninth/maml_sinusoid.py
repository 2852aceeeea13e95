import math
from contextlib import contextmanager

import torch
import torch.nn.functional as F


class SineTasks:
    def __init__(self, seed=0):
        self.gen = torch.Generator().manual_seed(seed)

    def _u(self, lo, hi, *shape):
        return torch.rand(*shape, generator=self.gen) * (hi - lo) + lo

    def __call__(self, shots):
        amp, phase = self._u(0.1, 5.0, 1), self._u(0, math.pi, 1)
        x = self._u(-5, 5, 2 * shots, 1)
        y = amp * torch.sin(x + phase)
        return (x[:shots], y[:shots]), (x[shots:], y[shots:])


def init_params(sizes):
    params = {}
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        params[f"w{i}"] = (torch.randn(b, a) / math.sqrt(a)).requires_grad_()
        params[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return params


def mlp(params, x):
    n = len(params) // 2
    for i in range(n):
        x = F.linear(x, params[f"w{i}"], params[f"b{i}"])
        if i < n - 1:
            x = torch.tanh(x)
    return x


@contextmanager
def fast_weights(params):
    fast = {k: v.clone() for k, v in params.items()}
    yield fast
    fast.clear()


class MetaLearner:
    def __init__(self, sizes, inner_lr=0.01, inner_steps=2, outer_lr=1e-3):
        self.params = init_params(sizes)
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.opt = torch.optim.Adam(self.params.values(), lr=outer_lr)

    def adapt(self, fast, support):
        x, y = support
        for _ in range(self.inner_steps):
            loss = F.mse_loss(mlp(fast, x), y)
            names = list(fast)
            grads = torch.autograd.grad(loss, [fast[n] for n in names], create_graph=True)
            for name, g in zip(names, grads):
                fast[name].sub_(self.inner_lr * g)  # BUG
        return fast

    def outer_loss(self, task):
        support, query = task
        with fast_weights(self.params) as fast:
            self.adapt(fast, support)
            return F.mse_loss(mlp(fast, query[0]), query[1])

    def meta_step(self, tasks):
        self.opt.zero_grad()
        losses = [self.outer_loss(t) for t in tasks]
        total = torch.stack(losses).mean()
        total.backward()
        self.opt.step()
        return total.item()


# --- driver ---
torch.manual_seed(12)
sampler = SineTasks()
meta = MetaLearner([1, 16, 1])
print(meta.meta_step([sampler(5) for _ in range(2)]))
