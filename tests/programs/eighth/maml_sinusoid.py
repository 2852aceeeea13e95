"""Few-shot sinusoid regression with gradient-based meta learning."""
import math
from dataclasses import dataclass
from typing import Dict

import torch
import torch.nn.functional as F
from torch import Tensor

Params = Dict[str, Tensor]


@dataclass
class Task:
    amp: float
    phase: float

    def sample(self, k: int):
        x = torch.empty(k, 1).uniform_(-5, 5)
        return x, self.amp * torch.sin(x + self.phase)


class TaskSource:
    def __init__(self, seed: int):
        self.g = torch.Generator().manual_seed(seed)

    def __iter__(self):
        return self

    def __next__(self) -> Task:
        a, p = torch.rand(2, generator=self.g).tolist()
        return Task(0.1 + 4.9 * a, math.pi * p)


class FunctionalMLP:
    def __init__(self, hidden: int):
        self.shapes = {"w1": (hidden, 1), "b1": (hidden,), "w2": (hidden, hidden), "b2": (hidden,),
                       "w3": (1, hidden), "b3": (1,)}

    def init(self) -> Params:
        out = {}
        for name, shape in self.shapes.items():
            t = torch.zeros(shape)
            if len(shape) == 2:
                t.normal_(0, 1 / math.sqrt(shape[1]))
            out[name] = t.requires_grad_()
        return out

    def __call__(self, x: Tensor, p: Params) -> Tensor:
        x = torch.tanh(F.linear(x, p["w1"], p["b1"]))
        x = torch.tanh(F.linear(x, p["w2"], p["b2"]))
        return F.linear(x, p["w3"], p["b3"])


class MAML:
    def __init__(self, net: FunctionalMLP, inner_lr=0.01, outer_lr=1e-3, inner_steps=2, first_order=False):
        self.net, self.inner_lr, self.inner_steps = net, inner_lr, inner_steps
        self.first_order = first_order
        self.meta = net.init()
        self.opt = torch.optim.Adam(self.meta.values(), lr=outer_lr)

    def adapt(self, x: Tensor, y: Tensor) -> Params:
        fast = {k: v.clone() for k, v in self.meta.items()}
        for _ in range(self.inner_steps):
            loss = F.mse_loss(self.net(x, fast), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            for w, g in zip(fast.values(), grads):
                w.sub_(self.inner_lr * g)  # BUG
        return fast

    def meta_step(self, tasks, shots: int, queries: int) -> float:
        outer = 0.0
        for task in tasks:
            fast = self.adapt(*task.sample(shots))
            x, y = task.sample(queries)
            outer = outer + F.mse_loss(self.net(x, fast), y)
        outer = outer / len(tasks)
        self.opt.zero_grad()
        outer.backward()
        torch.nn.utils.clip_grad_norm_(list(self.meta.values()), 10.0)
        self.opt.step()
        return outer.item()


def take(source, n):
    return [t for t, _ in zip(source, range(n))]


def meta_train(algo: MAML, source: TaskSource, iterations: int, tasks_per_iter: int):
    history = torch.zeros(iterations)
    for i in range(iterations):
        history[i] = algo.meta_step(take(source, tasks_per_iter), shots=5, queries=5)
    return history


# --- driver ---
torch.manual_seed(0)
meta_train(MAML(FunctionalMLP(8)), TaskSource(1), iterations=2, tasks_per_iter=2)
