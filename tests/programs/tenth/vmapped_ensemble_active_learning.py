"""Deep ensemble with stacked parameters (functional_call under vmap) inside an active-learning loop."""
from dataclasses import dataclass
from typing import Callable, Dict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.func import functional_call, stack_module_state, vmap

Tree = Dict[str, Tensor]


def tree_map(fn: Callable, *trees: Tree) -> Tree:
    return {k: fn(*(t[k] for t in trees)) for k in trees[0]}


class StackedAdam:
    """Adam on trees of stacked parameters, updated where they are."""

    def __init__(self, params: Tree, lr: float = 5e-3, betas=(0.9, 0.99), eps: float = 1e-8):
        self.params, self.lr, self.betas, self.eps, self.t = params, lr, betas, eps, 0
        self.m, self.v = tree_map(torch.zeros_like, params), tree_map(torch.zeros_like, params)

    @torch.no_grad()
    def step(self) -> None:
        self.t += 1
        b1, b2 = self.betas
        for k, p in self.params.items():
            g, m, v = p.grad, self.m[k], self.v[k]
            m.mul_(b1).add_(g, alpha=1 - b1)
            v.mul_(b2).addcmul_(g, g, value=1 - b2)
            denom = (v / (1 - b2 ** self.t)).sqrt_().add_(self.eps)
            p.addcdiv_(m, denom, value=-self.lr / (1 - b1 ** self.t))
            g.zero_()


@dataclass
class Pool:
    x: Tensor
    y: Tensor
    labelled: Tensor

    def label(self, idx: Tensor) -> None:
        self.labelled[idx] = True

    @property
    def unlabelled(self) -> Tensor:
        return (~self.labelled).nonzero().squeeze(1)


class Ensemble:
    def __init__(self, make: Callable[[], nn.Module], size: int):
        members = [make() for _ in range(size)]
        params, self.buffers = stack_module_state(members)
        self.params = {k: v.detach().requires_grad_() for k, v in params.items()}
        self.template, self.size = make().to("meta"), size

    def apply_one(self, params: Tree, buffers: Tree, x: Tensor) -> Tensor:
        return functional_call(self.template, (params, buffers), (x,))

    def loss_one(self, params: Tree, buffers: Tree, x: Tensor, y: Tensor) -> Tensor:
        nll = F.cross_entropy(self.apply_one(params, buffers, x), y)
        return nll + 1e-4 * sum(p.square().sum() for p in params.values())

    def losses(self, x: Tensor, y: Tensor) -> Tensor:
        return vmap(self.loss_one)(self.params, self.buffers, x, y)

    @torch.no_grad()
    def probabilities(self, x: Tensor) -> Tensor:
        return vmap(self.apply_one, in_dims=(0, 0, None))(self.params, self.buffers, x).softmax(-1)


def disagreement(probs: Tensor) -> Tensor:
    entropy = lambda p: -(p * p.clamp(min=1e-9).log()).sum(-1)
    return entropy(probs.mean(0)).sub_(entropy(probs).mean(0))


class Temperature(nn.Module):
    """Calibrates the averaged prediction on the labelled points."""

    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(()))

    def fit(self, logp: Tensor, y: Tensor, steps: int = 3) -> float:
        opt = torch.optim.LBFGS([self.log_t], lr=0.1, max_iter=steps)

        def closure():
            opt.zero_grad()
            loss = F.cross_entropy(logp * self.log_t.exp(), y)
            loss.backward()
            return loss

        return opt.step(closure).item()


class ActiveLearner:
    def __init__(self, pool: Pool, ensemble: Ensemble, batch: int = 8):
        self.pool, self.ensemble, self.batch = pool, ensemble, batch
        self.opt, self.calibration = StackedAdam(ensemble.params), Temperature()

    def fit(self, steps: int) -> None:
        have = self.pool.labelled.nonzero().squeeze(1)
        for _ in range(steps):
            idx = have[torch.randint(len(have), (self.ensemble.size, self.batch))]
            self.ensemble.losses(self.pool.x[idx], self.pool.y[idx]).sum().backward()
            self.opt.step()

    def round(self, queries: int, steps: int) -> float:
        self.fit(steps)
        have, free = self.pool.labelled, self.pool.unlabelled
        logp = self.ensemble.probabilities(self.pool.x[have]).mean(0).clamp_(min=1e-9).log_()
        nll = self.calibration.fit(logp, self.pool.y[have])
        self.pool.label(free[disagreement(self.ensemble.probabilities(self.pool.x[free])).topk(queries).indices])
        return nll


# --- driver ---
torch.manual_seed(57)
x = torch.randn(60, 2)
pool = Pool(x, (x[:, 0] * x[:, 1] > 0).long(), torch.arange(60) < 10)
make = lambda: nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
learner = ActiveLearner(pool, Ensemble(make, size=4))
for _ in range(2):
    learner.round(queries=5, steps=4)
