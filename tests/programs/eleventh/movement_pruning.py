"""Movement pruning: a score for every weight, top-fraction masks on a cubic schedule, straight-through scores."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CubicSchedule:
    def __init__(self, start, end, steps):
        self.start, self.end, self.steps, self.t = start, end, steps, 0

    def advance(self):
        self.t = min(self.t + 1, self.steps)

    @property
    def sparsity(self):
        left = 1 - self.t / self.steps
        return self.end + (self.start - self.end) * left ** 3


class MaskedLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)
        self.score = nn.Parameter(torch.randn(n_out, n_in) * 0.01)
        self.register_buffer("mask", torch.ones(n_out, n_in))

    def refresh(self, sparsity):
        k = max(1, int(sparsity * self.score.numel()))
        cut = self.score.detach().flatten().kthvalue(k).values
        torch.gt(self.score.detach(), cut, out=self.mask)  # BUG

    def forward(self, x):
        gate = self.mask + self.score - self.score.detach()
        return F.linear(x, self.lin.weight * self.mask * gate, self.lin.bias)

    def density(self):
        return self.mask.mean().item()


class Net(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList(MaskedLinear(i, o) for i, o in zip(dims, dims[1:]))

    def forward(self, x):
        *inner, last = self.layers
        for layer in inner:
            x = F.relu(layer(x))
        return last(x)


class Pruner:
    """Drives the masks and adds the pressure on the scores."""

    def __init__(self, net, schedule, pressure=1e-2):
        self.net, self.schedule, self.pressure = net, schedule, pressure

    def layers(self):
        return [m for m in self.net.modules() if isinstance(m, MaskedLinear)]

    def regulariser(self):
        self.schedule.advance()
        total = 0.0
        for layer in self.layers():
            layer.refresh(self.schedule.sparsity)
            total = total + torch.sigmoid(layer.score).mean()
        return self.pressure * total

    def report(self):
        return [round(l.density(), 3) for l in self.layers()]


def rings(n):
    y = torch.randint(0, 3, (n,))
    r = (y + 1.0) + 0.15 * torch.randn(n)
    a = torch.rand(n) * 6.283
    noise = torch.randn(n, 6)
    return torch.cat([torch.stack([r * a.cos(), r * a.sin()], 1), noise], 1), y


def finetune(net, pruner, steps, lr=5e-3):
    masks, rest = [], []
    for name, p in net.named_parameters():
        (masks if name.endswith("score") else rest).append(p)
    opt = torch.optim.Adam([{"params": rest, "lr": lr}, {"params": masks, "lr": 5 * lr}])
    for _ in range(steps):
        x, y = rings(32)
        loss = F.cross_entropy(net(x), y) + pruner.regulariser()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return pruner.report()


# --- driver ---
torch.manual_seed(0)
net = Net([8, 24, 24, 3])
print(finetune(net, Pruner(net, CubicSchedule(0.1, 0.8, 6)), steps=4))
