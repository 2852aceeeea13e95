"""Sparse-to-sparse training of a recurrent net (RigL): drop small weights, grow where the dense gradient is large."""
import math
from typing import Dict

import torch
from torch import nn
import torch.nn.functional as F


class RigL:
    """Owns the masks; is told after each backward pass and each optimiser step."""

    def __init__(self, module: nn.Module, opt, density=0.3, every=2, fraction=0.3, stop=20):
        self.opt, self.every, self.fraction, self.stop = opt, every, fraction, stop
        self.weights: Dict[str, nn.Parameter] = {n: p for n, p in module.named_parameters() if p.dim() == 2}
        self.masks = {n: self.initial(p, density) for n, p in self.weights.items()}
        self.dense = {}
        self.t = 0
        self.apply()

    @staticmethod
    def initial(p, density):
        mask = torch.zeros(p.numel())
        mask[torch.randperm(p.numel())[: int(density * p.numel())]] = 1.0
        return mask.view_as(p)

    @torch.no_grad()
    def apply(self):
        for n, p in self.weights.items():
            p.mul_(self.masks[n])
            buf = self.opt.state.get(p, {}).get("momentum_buffer")
            if buf is not None:
                buf.mul_(self.masks[n])

    @property
    def due(self):
        return self.t % self.every == 0 and self.t < self.stop

    @torch.no_grad()
    def after_backward(self):
        self.t += 1
        for n, p in self.weights.items():
            if self.due:
                self.dense[n] = p.grad.abs()
            p.grad.mul_(self.masks[n])

    @torch.no_grad()
    def after_step(self):
        if self.due:
            rate = 0.5 * self.fraction * (1 + math.cos(math.pi * self.t / self.stop))
            for n, p in self.weights.items():
                self.rewire(n, p, rate)
        self.apply()

    def rewire(self, n, p, rate):
        mask = self.masks[n]
        k = int(rate * mask.sum().item())
        if k == 0:
            return
        size = torch.where(mask.bool(), p.abs(), torch.full_like(p, math.inf))
        drop = size.flatten().topk(k, largest=False).indices
        wish = self.dense[n].masked_fill_(mask.bool(), -math.inf)
        grow = wish.flatten().topk(k).indices
        mask.view(-1)[drop] = 0.0
        mask.view(-1)[grow] = 1.0
        p.view(-1)[grow] = 0.0

    def density(self):
        return {n: round(m.mean().item(), 3) for n, m in self.masks.items()}


class AddingRNN(nn.Module):
    """Sum of the two marked numbers of a sequence."""

    def __init__(self, width=24):
        super().__init__()
        self.cell = nn.GRUCell(2, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], self.cell.hidden_size)
        for frame in x.unbind(1):
            h = self.cell(frame, h)
        return self.out(h).squeeze(-1)


def adding_problem(n, length):
    values = torch.rand(n, length)
    marks = torch.zeros(n, length)
    marks.scatter_(1, torch.rand(n, length).topk(2, dim=1).indices, 1.0)
    return torch.stack([values, marks], -1), (values * marks).sum(1)


def train(net, steps, lr=0.05):
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    rigl = RigL(net, opt)
    for _ in range(steps):
        x, y = adding_problem(16, 8)
        loss = F.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        rigl.after_backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        rigl.after_step()
    return loss.item(), rigl.density()


# --- driver ---
torch.manual_seed(0)
print(train(AddingRNN(), 6))
