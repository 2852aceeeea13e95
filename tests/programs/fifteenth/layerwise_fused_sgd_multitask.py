"""Memory-lean multi-task training: parameters are stepped as soon as their gradient is ready."""
from functools import partial
from typing import Dict, Iterable

import torch
from torch import nn


class FusedSGD:
    """SGD with momentum that runs from post-accumulate hooks, then frees the gradient."""

    def __init__(self, params: Iterable[nn.Parameter], lr: float, momentum: float = 0.9):
        self.lr, self.momentum = lr, momentum
        self.velocity: Dict[nn.Parameter, torch.Tensor] = {}
        self.calls = 0
        for p in params:
            p.register_post_accumulate_grad_hook(partial(self._apply))

    @torch.no_grad()
    def _apply(self, p: nn.Parameter) -> None:
        v = self.velocity.setdefault(p, torch.zeros_like(p))
        v.mul_(self.momentum).add_(p.grad)
        p.add_(v, alpha=-self.lr)  # BUG
        p.grad = None
        self.calls += 1


class Trunk(nn.Module):
    def __init__(self, d_in: int, width: int, depth: int):
        super().__init__()
        dims = [d_in] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        for layer in self.layers:
            x = nn.functional.gelu(layer(x))
        return x


class MultiTask(nn.Module):
    def __init__(self, d_in: int, tasks: Dict[str, int], width: int = 24, depth: int = 3):
        super().__init__()
        self.trunk = Trunk(d_in, width, depth)
        self.heads = nn.ModuleDict({t: nn.Linear(width, n) for t, n in tasks.items()})

    def forward(self, x):
        z = self.trunk(x)
        return {t: h(z) for t, h in self.heads.items()}


LOSSES = {
    "sentiment": lambda out, y: nn.functional.cross_entropy(out, y.long() % 3),
    "rating": lambda out, y: nn.functional.mse_loss(out.squeeze(-1), y),
}


def per_task_backward(losses: Dict[str, torch.Tensor]) -> None:
    """One backward per task over the shared trunk so that only one task gradient is alive."""
    remaining = len(losses)
    for loss in losses.values():
        remaining -= 1
        loss.backward(retain_graph=remaining > 0)


def step(model: MultiTask, x, y) -> Dict[str, float]:
    outs = model(x)
    losses = {t: LOSSES[t](o, y) for t, o in outs.items()}
    per_task_backward(losses)
    return {t: round(l.item(), 4) for t, l in losses.items()}


# --- driver ---
def main() -> None:
    torch.manual_seed(0)
    model = MultiTask(10, {"sentiment": 3, "rating": 1})
    opt = FusedSGD(model.parameters(), lr=0.01)
    for i in range(3):
        x = torch.randn(16, 10)
        print(i, step(model, x, x[:, 0] * 2), opt.calls)


if __name__ == "__main__":
    main()
