"""Gradient accumulation with a hand-made loss scaler and foreach ops."""
from __future__ import annotations

from contextlib import contextmanager

import torch
from torch import Tensor, nn


class LossScaler:
    def __init__(self, init: float = 2.0 ** 8, growth_interval: int = 4) -> None:
        self.scale_t = torch.tensor(init)
        self.growth_interval = growth_interval
        self._good = 0

    def scale(self, loss: Tensor) -> Tensor:
        return loss * self.scale_t.clone()

    def unscale_(self, params: list[nn.Parameter]) -> bool:
        grads = [p.grad for p in params if p.grad is not None]
        torch._foreach_mul_(grads, 1.0 / self.scale_t.item())
        return all(bool(torch.isfinite(g).all()) for g in grads)

    def update(self, ok: bool) -> None:
        if not ok:
            self.scale_t.mul_(0.5)
            self._good = 0
            return
        self._good += 1
        if self._good % self.growth_interval == 0:
            self.scale_t *= 2


@torch.no_grad()
def clip_(params: list[nn.Parameter], max_norm: float) -> Tensor:
    grads = [p.grad for p in params if p.grad is not None]
    norms = torch._foreach_norm(grads)
    total = torch.linalg.vector_norm(torch.stack(norms))
    coef = (max_norm / (total + 1e-6)).clamp_(max=1.0)
    torch._foreach_mul_(grads, coef)
    return total


class EMA:
    def __init__(self, model: nn.Module, decay: float) -> None:
        self.params = list(model.parameters())
        self.shadow = [p.detach().clone() for p in self.params]
        self.decay = decay

    @torch.no_grad()
    def update(self) -> None:
        torch._foreach_mul_(self.shadow, self.decay)
        torch._foreach_add_(self.shadow, self.params, alpha=1 - self.decay)

    @contextmanager
    def swapped(self):
        backup = [p.detach().clone() for p in self.params]
        with torch.no_grad():
            torch._foreach_copy_(self.params, self.shadow)
        try:
            yield
        finally:
            with torch.no_grad():
                torch._foreach_copy_(self.params, backup)


def main() -> None:
    torch.manual_seed(17)
    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(6, 24), nn.SiLU(), nn.Linear(24, 24), nn.ReLU(inplace=True), nn.Linear(24, 1))
    params = list(net.parameters())
    opt = torch.optim.AdamW(params, lr=5e-3, foreach=True)
    scaler, ema = LossScaler(), EMA(net, 0.9)
    x = torch.randn(64, 6)
    y = x[:, :1] * x[:, 1:2]
    for step in range(6):
        opt.zero_grad(set_to_none=False)
        total = torch.zeros(())
        for xb, yb in zip(x.chunk(4), y.chunk(4)):
            out = net(xb)
            out -= yb
            loss = out.square().mean() / 4
            scaler.scale(loss).backward()
            total += loss.detach()
        ok = scaler.unscale_(params)
        norm = clip_(params, 1.0)
        if ok:
            opt.step()
            ema.update()
        scaler.update(ok)
        with ema.swapped(), torch.no_grad():
            val = (net(x) - y).square().mean()
        print(step, f"{total:.4f} {norm:.3f} {val:.4f}")


if __name__ == "__main__":
    main()
