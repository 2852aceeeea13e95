"""Multi-task dense prediction with projected conflicting gradients (PCGrad) and uncertainty weights."""
import random
from typing import Callable, Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

LOSSES: Dict[str, Callable[[Tensor, Tensor], Tensor]] = {}


def task_loss(name: str):
    def register(fn):
        LOSSES[name] = fn
        return fn
    return register


@task_loss("semantic")
def _semantic(pred, target):
    return F.cross_entropy(pred, target)


@task_loss("depth")
def _depth(pred, target):
    valid = target > 0
    gap = pred.squeeze(1)[valid] - target[valid].log()
    return gap.square().mean() - 0.5 * gap.mean().square()


@task_loss("normals")
def _normals(pred, target):
    return (1 - F.cosine_similarity(pred, target, dim=1)).mean()


class SharedNet(nn.Module):
    def __init__(self, outputs: Dict[str, int], ch: int = 12):
        super().__init__()
        self.shared = nn.Sequential(nn.Conv2d(3, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True),
                                    nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU(inplace=True))
        self.heads = nn.ModuleDict({k: nn.Conv2d(ch, c, 1) for k, c in outputs.items()})
        self.log_var = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in outputs})

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        f = self.shared(x)
        return {k: head(f) for k, head in self.heads.items()}

    def weighted(self, losses: Dict[str, Tensor]) -> List[Tensor]:
        return [torch.exp(-self.log_var[k]) * l + 0.5 * self.log_var[k] for k, l in losses.items()]


class PCGrad:
    def __init__(self, opt: torch.optim.Optimizer, shared: List[nn.Parameter], own: List[nn.Parameter]):
        self.opt, self.shared, self.own = opt, shared, own

    @staticmethod
    def _project(grads: List[Tensor]) -> Tensor:
        projected = torch.stack(grads)
        for i, row in enumerate(projected):
            order = [j for j in range(len(grads)) if j != i]
            random.shuffle(order)
            for j in order:
                dot = row @ grads[j]
                if dot < 0:
                    row.sub_(grads[j], alpha=float(dot / grads[j].square().sum().clamp_(min=1e-12)))
        return projected.mean(0)

    def backward(self, losses: List[Tensor]) -> None:
        self.opt.zero_grad()
        flat = []
        for loss in losses:
            gs = torch.autograd.grad(loss, self.shared, retain_graph=True)
            flat.append(torch.cat([g.flatten() for g in gs]))
        own = torch.autograd.grad(sum(losses), self.own)
        for p, g in zip(self.own, own):
            p.grad = g
        merged = self._project(flat)
        for p, piece in zip(self.shared, merged.split([p.numel() for p in self.shared])):
            p.grad = piece.view_as(p)

    def step(self) -> None:
        nn.utils.clip_grad_norm_(self.shared, 1.0)
        self.opt.step()


def random_scene(n: int, side: int = 8) -> Dict[str, Tensor]:
    depth = torch.rand(n, side, side).mul_(10)
    depth[depth < 1] = 0
    return {"image": torch.randn(n, 3, side, side), "semantic": torch.randint(0, 4, (n, side, side)),
            "depth": depth, "normals": F.normalize(torch.randn(n, 3, side, side), dim=1)}


# --- driver ---
torch.manual_seed(27), random.seed(27)
net = SharedNet({"semantic": 4, "depth": 1, "normals": 3})
own = list(net.heads.parameters()) + list(net.log_var.parameters())
surgeon = PCGrad(torch.optim.Adam(net.parameters(), lr=1e-3), list(net.shared.parameters()), own)
for _ in range(3):
    scene = random_scene(4)
    out = net(scene["image"])
    surgeon.backward(net.weighted({k: LOSSES[k](out[k], scene[k]) for k in out}))
    surgeon.step()
