"""Second-order MAML on sinusoid regression, functional style."""
import math
from functools import partial

import torch
import torch.nn.functional as F


def init_params(sizes, gen):
    params = {}
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        params[f"w{i}"] = torch.randn(b, a, generator=gen).mul_(math.sqrt(2 / a)).requires_grad_()
        params[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return params


def predict(params, x):
    depth = len(params) // 2
    for i in range(depth):
        x = F.linear(x, params[f"w{i}"], params[f"b{i}"])
        if i < depth - 1:
            x = F.relu(x)
    return x


class SineTasks:
    def __init__(self, shots, gen):
        self.shots, self.gen = shots, gen

    def _u(self, lo, hi, *shape):
        return torch.empty(*shape).uniform_(lo, hi, generator=self.gen)

    def __iter__(self):
        while True:
            amp, phase = self._u(0.1, 5.0, 1), self._u(0, math.pi, 1)
            draw = lambda n: self._u(-5, 5, n, 1)
            xs, xq = draw(self.shots), draw(2 * self.shots)
            wave = lambda x: amp * torch.sin(x + phase)
            yield (xs, wave(xs)), (xq, wave(xq))


def clone_tree(params):
    return {k: v.clone() for k, v in params.items()}


def descend(params, grads, lr):
    for (name, p), g in zip(params.items(), grads):
        rate = lr if name.startswith("w") else 2 * lr
        p.sub_(rate * g)  # BUG
    return params


def adapt(params, support, lr, steps, second_order=True):
    fast = clone_tree(params)
    x, y = support
    for _ in range(steps):
        loss = F.mse_loss(predict(fast, x), y)
        grads = torch.autograd.grad(loss, list(fast.values()), create_graph=second_order)
        fast = descend(fast, grads, lr)
    return fast


def meta_loss(params, tasks, inner):
    total = torch.zeros(())
    for support, (xq, yq) in tasks:
        fast = inner(params, support)
        total += F.mse_loss(predict(fast, xq), yq)
    return total / len(tasks)


def meta_train(params, stream, iterations, tasks_per_step=3):
    inner = partial(adapt, lr=0.01, steps=2)
    opt = torch.optim.Adam(params.values(), lr=1e-3)
    stream = iter(stream)
    for _ in range(iterations):
        batch = [next(stream) for _ in range(tasks_per_step)]
        loss = meta_loss(params, batch, inner)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params.values(), 5.0)
        opt.step()
    return loss.item()


# --- driver ---
gen = torch.Generator().manual_seed(10)
theta = init_params([1, 20, 20, 1], gen)
meta_train(theta, SineTasks(5, gen), iterations=2)
