from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.func import functional_call

torch.manual_seed(60)
torch.set_num_threads(1)


class MLP(nn.Module):
    def __init__(self, d: int, h: int, c: int) -> None:
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(d, h), nn.Linear(h, h), nn.Linear(h, c)

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc1(x).relu_()
        h = self.fc2(h)
        h = F.relu(h, inplace=True)
        return self.fc3(h)


def virtual_step(net: nn.Module, loss: Tensor, lr: float) -> dict[str, Tensor]:
    params = dict(net.named_parameters())
    grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    for (k, p), g in zip(list(params.items()), grads):
        params[k] = p - lr * g
    return params


def reweight(net: nn.Module, x: Tensor, y: Tensor, xm: Tensor, ym: Tensor, lr: float) -> Tensor:
    eps = torch.zeros(x.size(0), requires_grad=True)
    cost = F.cross_entropy(net(x), y, reduction="none")
    fast = virtual_step(net, (cost * eps).sum(), lr)
    meta = F.cross_entropy(functional_call(net, fast, (xm,)), ym)
    (g,) = torch.autograd.grad(meta, eps)
    w = g.neg_().clamp_(min=0)
    total = w.sum()
    w /= total if total > 0 else 1.0
    return w


class LearnedWeights(nn.Module):
    """a small table of per-example weights, momentum kept as buffer"""

    def __init__(self, n: int, momentum: float = 0.5) -> None:
        super().__init__()
        self.register_buffer("table", torch.full((n,), 1.0 / n))
        self.momentum = momentum

    def update(self, idx: Tensor, w: Tensor) -> Tensor:
        new = self.table[idx].mul_(self.momentum).add_(w, alpha=1 - self.momentum)
        self.table[idx] = new
        return new


def main() -> None:
    n = 120
    x = torch.randn(n, 4)
    clean = (x[:, 0] + x[:, 1] > 0).long()
    y = clean.clone()
    flip = torch.rand(n) < 0.35
    y[flip] = 1 - y[flip]
    xm = torch.randn(16, 4)
    ym = (xm[:, 0] + xm[:, 1] > 0).long()
    net, table = MLP(4, 16, 2), LearnedWeights(n)
    opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.9)
    for epoch in range(3):
        for idx in torch.randperm(n).split(30):
            w = reweight(net, x[idx], y[idx], xm, ym, 0.3)
            w = table.update(idx, w)
            cost = F.cross_entropy(net(x[idx]), y[idx], reduction="none")
            loss = (cost * w).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            table.table.clamp_(min=1e-4)
        with torch.no_grad():
            acc = (net(x).argmax(1) == clean).float().mean()
        print(epoch, round(loss.item(), 4), round(acc.item(), 3), round((table.table[flip].mean() / table.table.mean()).item(), 3))


if __name__ == "__main__":
    main()
