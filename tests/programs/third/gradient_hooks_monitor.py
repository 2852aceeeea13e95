"""Hooks that watch activations and reshape gradients after backward."""
import weakref
from typing import Callable, Dict, List

import torch
from torch import Tensor, nn


class RunningMoments:
    def __init__(self, features: int):
        self.count = 0
        self.mean = torch.zeros(features)
        self.m2 = torch.zeros(features)

    @torch.no_grad()
    def push(self, batch: Tensor) -> None:
        for row in batch:
            self.count += 1
            delta = row - self.mean
            self.mean.add_(delta, alpha=1 / self.count)
            self.m2.addcmul_(delta, row - self.mean)

    @property
    def var(self) -> Tensor:
        return self.m2 / max(1, self.count - 1)


class ActivationWatch:
    def __init__(self, model: nn.Module):
        self.moments: Dict[str, RunningMoments] = {}
        self.handles: List = []
        self.model = weakref.ref(model)
        for name, m in model.named_modules():
            if isinstance(m, nn.Linear):
                self.moments[name] = RunningMoments(m.out_features)
                self.handles.append(m.register_forward_hook(self._make(name)))

    def _make(self, name: str) -> Callable:
        def hook(module, args, out):
            self.moments[name].push(out)
        return hook

    def close(self):
        while self.handles:
            self.handles.pop().remove()


def bias_shift_hook(shift: float):
    def hook(module, args, out):
        out += shift
        return out
    return hook


class GradientSurgeon:
    """Projects, centres and clips whatever lies in `.grad`."""

    def __init__(self, params, clip: float = 1.0):
        self.params = list(params)
        self.clip = clip

    @torch.no_grad()
    def centralise(self):
        for p in self.params:
            if p.grad is not None and p.dim() > 1:
                p.grad.sub_(p.grad.mean(dim=tuple(range(1, p.dim())), keepdim=True))

    @torch.no_grad()
    def adaptive_clip(self, eps: float = 1e-3):
        for p in self.params:
            limit = p.norm().clamp_(min=eps).mul_(self.clip)
            norm = p.grad.norm().clamp_(min=1e-6)
            if norm > limit:
                p.grad.mul_(limit / norm)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        x = torch.tanh(self.a(x))
        return self.c(torch.tanh(self.b(x)))


def train(net, surgeon, data, lr=0.1):
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for x, y in data:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        surgeon.centralise()
        surgeon.adaptive_clip()
        opt.step()


# --- driver ---
torch.manual_seed(49)
net = Net()
watch = ActivationWatch(net)
net.b.register_forward_hook(bias_shift_hook(0.1))
train(net, GradientSurgeon(net.parameters(), 0.05), [(torch.randn(5, 4), torch.randint(0, 2, (5,)))] * 2)
watch.close()
