import math
from typing import Callable, Dict, Tuple

import torch
import torch.nn.functional as F

Params = Dict[str, torch.Tensor]


def init_params(width: int, gen: torch.Generator) -> Params:
    def lin(i, o):
        bound = 1 / math.sqrt(i)
        return torch.empty(o, i).uniform_(-bound, bound, generator=gen)

    p = {
        "w1": lin(1, width), "b1": torch.zeros(width),
        "w2": lin(width, width), "b2": torch.zeros(width),
        "w3": lin(width, 1), "b3": torch.zeros(1),
    }
    return {k: v.requires_grad_() for k, v in p.items()}


def net(p: Params, x: torch.Tensor) -> torch.Tensor:
    h = torch.tanh(F.linear(x, p["w1"], p["b1"]))
    h = torch.tanh(F.linear(h, p["w2"], p["b2"]))
    return F.linear(h, p["w3"], p["b3"])


def clone_params(p: Params) -> Params:
    return {k: v.clone() for k, v in p.items()}


def sgd_inner_update(p: Params, grads, lr: float) -> Params:
    for (name, w), g in zip(p.items(), grads):
        w.sub_(lr * g)  # BUG
    return p


class Task:
    """A sinusoid with its own amplitude and phase."""

    def __init__(self, gen: torch.Generator):
        self.gen = gen
        self.amp = 0.1 + 4.9 * torch.rand((), generator=gen)
        self.phase = math.pi * torch.rand((), generator=gen)

    def draw(self, n: int) -> Tuple[torch.Tensor, torch.Tensor]:
        x = torch.rand(n, 1, generator=self.gen) * 10 - 5
        return x, self.amp * torch.sin(x + self.phase)


def adapt(p: Params, support, steps: int, lr: float,
          update: Callable[[Params, tuple, float], Params] = sgd_inner_update) -> Params:
    fast = clone_params(p)
    x, y = support
    for _ in range(steps):
        loss = F.mse_loss(net(fast, x), y)
        grads = torch.autograd.grad(loss, tuple(fast.values()), create_graph=True)
        fast = update(fast, grads, lr)
    return fast


def meta_loss(p: Params, tasks, shots: int = 5, steps: int = 2, lr: float = 0.01) -> torch.Tensor:
    losses = []
    for t in tasks:
        fast = adapt(p, t.draw(shots), steps, lr)
        xq, yq = t.draw(10)
        losses.append(F.mse_loss(net(fast, xq), yq))
    return torch.stack(losses).mean()


# --- driver ---
gen = torch.Generator().manual_seed(0)
params = init_params(20, gen)
opt = torch.optim.Adam(params.values(), lr=1e-3)
for it in range(3):
    loss = meta_loss(params, [Task(gen) for _ in range(3)])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
