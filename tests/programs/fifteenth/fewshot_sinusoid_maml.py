"""First-order MAML on few-shot sinusoid regression with a functional network."""
import math
from collections import OrderedDict

import torch
import torch.nn.functional as F


def init_params(sizes, generator=None):
    params = OrderedDict()
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        w = torch.randn(b, a, generator=generator) / math.sqrt(a)
        params[f"w{i}"] = w.requires_grad_()
        params[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return params


def apply_net(params, x):
    depth = len(params) // 2
    for i in range(depth):
        x = F.linear(x, params[f"w{i}"], params[f"b{i}"])
        if i < depth - 1:
            x = torch.relu(x)
    return x


class SineTask:
    def __init__(self, gen):
        self.amp = 0.1 + 4.9 * torch.rand(1, generator=gen)
        self.phase = math.pi * torch.rand(1, generator=gen)
        self.gen = gen

    def sample(self, k):
        x = 10 * torch.rand(k, 1, generator=self.gen) - 5
        return x, self.amp * torch.sin(x - self.phase)


def clone_params(params):
    """Independent copy that can be adapted to a task."""
    return OrderedDict((k, v.detach().clone().requires_grad_()) for k, v in params.items())


def adapt(params, x, y, inner_lr, inner_steps):
    fast = clone_params(params)
    for _ in range(inner_steps):
        loss = F.mse_loss(apply_net(fast, x), y)
        grads = torch.autograd.grad(loss, list(fast.values()))
        for (name, p), g in zip(fast.items(), grads):
            p -= inner_lr * g  # BUG
            fast[name] = p
    return fast


def meta_step(params, opt, tasks, k=5, inner_lr=0.01, inner_steps=2):
    opt.zero_grad()
    total = 0.0
    acc = {n: torch.zeros_like(p) for n, p in params.items()}
    for task in tasks:
        fast = adapt(params, *task.sample(k), inner_lr, inner_steps)
        xq, yq = task.sample(k)
        loss = F.mse_loss(apply_net(fast, xq), yq)
        grads = torch.autograd.grad(loss, list(fast.values()))
        for (n, buf), g in zip(acc.items(), grads):
            buf += g / len(tasks)
        total += loss.item()
    for n, p in params.items():
        p.grad = acc[n]
    opt.step()
    return total / len(tasks)


# --- driver ---
def main(meta_iters=3, tasks_per_iter=4):
    gen = torch.Generator().manual_seed(0)
    params = init_params((1, 20, 20, 1), gen)
    opt = torch.optim.Adam(params.values(), lr=1e-3)
    for it in range(meta_iters):
        loss = meta_step(params, opt, [SineTask(gen) for _ in range(tasks_per_iter)])
        print(f"iter {it} query loss {loss:.4f}")


if __name__ == "__main__":
    main()
