import math
import random
from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Task = Tuple[Tensor, Tensor, Tensor, Tensor]


class SinusoidTasks:
    def __init__(self, k_shot: int, k_query: int, seed: int = 0):
        self.k_shot, self.k_query = k_shot, k_query
        self.rng = random.Random(seed)

    def sample(self) -> Task:
        amp = self.rng.uniform(0.1, 5.0)
        phase = self.rng.uniform(0, math.pi)
        x = torch.rand(self.k_shot + self.k_query, 1)
        x.mul_(10).sub_(5)
        y = amp * torch.sin(x - phase)
        return x[: self.k_shot], y[: self.k_shot], x[self.k_shot :], y[self.k_shot :]

    def batch(self, n: int) -> List[Task]:
        return [self.sample() for _ in range(n)]


class Regressor(nn.Module):
    def __init__(self, hidden: int = 16):
        super().__init__()
        self.l1 = nn.Linear(1, hidden)
        self.l2 = nn.Linear(hidden, hidden)
        self.l3 = nn.Linear(hidden, 1)

    def functional(self, x: Tensor, w: Dict[str, Tensor]) -> Tensor:
        h = F.relu(F.linear(x, w["l1.weight"], w["l1.bias"]))
        h = F.relu(F.linear(h, w["l2.weight"], w["l2.bias"]))
        return F.linear(h, w["l3.weight"], w["l3.bias"])

    def forward(self, x: Tensor) -> Tensor:
        return self.functional(x, dict(self.named_parameters()))


class MAML:
    def __init__(self, model: Regressor, inner_lr: float, outer_lr: float, inner_steps: int):
        self.model = model
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.meta_opt = torch.optim.Adam(model.parameters(), lr=outer_lr)

    def clone_weights(self) -> Dict[str, Tensor]:
        return {n: p.clone() for n, p in self.model.named_parameters()}

    def adapt(self, x: Tensor, y: Tensor) -> Dict[str, Tensor]:
        weights = self.clone_weights()
        for _ in range(self.inner_steps):
            loss = F.mse_loss(self.model.functional(x, weights), y)
            grads = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
            for w, g in zip(weights.values(), grads):
                w -= self.inner_lr * g  # BUG
        return weights

    def meta_step(self, tasks: List[Task]) -> float:
        total = torch.zeros(())
        for xs, ys, xq, yq in tasks:
            fast = self.adapt(xs, ys)
            total += F.mse_loss(self.model.functional(xq, fast), yq)
        total /= len(tasks)
        self.meta_opt.zero_grad()
        total.backward()
        self.meta_opt.step()
        return total.item()


# --- driver ---
torch.manual_seed(0)
maml = MAML(Regressor(), inner_lr=0.01, outer_lr=1e-3, inner_steps=2)
source = SinusoidTasks(5, 5)
for it in range(2):
    maml.meta_step(source.batch(2))
