"""Multi-task regression and classification with PCGrad on the shared trunk; task weights by loss-rate averaging."""
from typing import Dict, List

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Trunk(nn.Module):
    def __init__(self, n_in: int, width: int):
        super().__init__()
        self.a = nn.Linear(n_in, width)
        self.b = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu_(self.a(x))
        h = F.dropout(self.b(h), 0.1, self.training).add_(h)
        return self.norm(h)


class MultiTask(nn.Module):
    def __init__(self, n_in: int, width: int, tasks: Dict[str, int]):
        super().__init__()
        self.trunk = Trunk(n_in, width)
        self.heads = nn.ModuleDict({t: nn.Linear(width, n) for t, n in tasks.items()})

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        h = self.trunk(x)
        return {t: head(h) for t, head in self.heads.items()}


class RateAverage:
    """Dynamic weight average: tasks whose loss falls slowly count for more."""

    def __init__(self, tasks, temperature=2.0):
        self.names = list(tasks)
        self.weights = torch.ones(len(self.names))
        self.prev = None
        self.temperature = temperature

    def update(self, losses: Tensor) -> None:
        if self.prev is not None:
            rate = losses / self.prev
            torch.softmax(rate / self.temperature, 0, out=self.weights)
            self.weights.mul_(len(self.names))
        self.prev = losses.clone()


class PCGrad:
    def __init__(self, shared: List[nn.Parameter]):
        self.shared = shared

    def flatten(self) -> Tensor:
        return torch.cat([p.grad.flatten() for p in self.shared])

    def collect(self, losses: List[Tensor]) -> Tensor:
        rows = []
        for i, loss in enumerate(losses):
            for p in self.shared:
                p.grad = None
            loss.backward(retain_graph=i + 1 < len(losses))
            rows.append(self.flatten())
        return torch.stack(rows)

    @torch.no_grad()
    def project(self, g: Tensor) -> Tensor:
        out = g.clone()
        for i in range(len(g)):
            for j in torch.randperm(len(g)).tolist():
                dot = out[i] @ g[j]
                if j != i and dot < 0:
                    out[i] -= dot / g[j].square().sum().clamp_min(1e-12) * g[j]
        return out.sum(0)

    @torch.no_grad()
    def assign(self, flat: Tensor) -> None:
        for p, piece in zip(self.shared, flat.split([p.numel() for p in self.shared])):
            p.grad.copy_(piece.view_as(p))


def train_step(model, opt, surgery, dwa, x, targets, criteria):
    out = model(x)
    losses = torch.stack([criteria[t](out[t], targets[t]) for t in dwa.names])
    weighted = (losses * dwa.weights).unbind(0)
    opt.zero_grad()
    surgery.assign(surgery.project(surgery.collect(list(weighted))))
    nn.utils.clip_grad_norm_(model.parameters(), 2.0)
    opt.step()
    dwa.update(losses.detach())
    return losses.tolist()


# --- driver ---
torch.manual_seed(0)
criteria = {"kind": F.cross_entropy, "size": F.l1_loss, "age": F.mse_loss}
model = MultiTask(8, 24, {"kind": 3, "size": 2, "age": 1})
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
surgery, dwa = PCGrad(list(model.trunk.parameters())), RateAverage(criteria)
for _ in range(5):
    x = torch.randn(24, 8)
    targets = {"kind": x[:, :3].argmax(1), "size": x[:, 3:5].abs(), "age": x[:, 5:].sum(1, keepdim=True)}
    print(train_step(model, opt, surgery, dwa, x, targets, criteria))
