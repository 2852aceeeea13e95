import copy
import random
from typing import NamedTuple, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Arch(NamedTuple):
    widths: Tuple[int, ...]
    kernels: Tuple[int, ...]


class SearchSpace:
    widths = (4, 6, 8)
    kernels = (3, 5)

    def __init__(self, depth, rng):
        self.depth, self.rng = depth, rng

    def sample(self):
        pick = lambda opts: tuple(self.rng.choice(opts) for _ in range(self.depth))
        return Arch(pick(self.widths), pick(self.kernels))

    def largest(self):
        return Arch((max(self.widths),) * self.depth, (max(self.kernels),) * self.depth)

    def mutate(self, arch, p=0.3):
        other = self.sample()
        mix = lambda a, b: tuple(y if self.rng.random() < p else x for x, y in zip(a, b))
        return Arch(mix(arch.widths, other.widths), mix(arch.kernels, other.kernels))


class ElasticConv(nn.Module):
    def __init__(self, cin, cout, k):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cout, cin, k, k))
        nn.init.kaiming_normal_(self.weight, mode="fan_out", nonlinearity="relu")
        self.kernel_map = nn.Parameter(torch.eye(9))
        self.k = k

    def kernel(self, cin, cout, k):
        w = self.weight[:cout, :cin]
        if k == self.k:
            return w
        off = (self.k - k) // 2
        w = w[:, :, off:off + k, off:off + k]
        return (w.flatten(2) @ self.kernel_map).view_as(w)

    def forward(self, x, cout, k):
        return F.conv2d(x, self.kernel(x.shape[1], cout, k), padding=k // 2)


class SwitchNorm(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(ch)), nn.Parameter(torch.zeros(ch))
        self.register_buffer("mean", torch.zeros(ch))
        self.register_buffer("var", torch.ones(ch))

    def forward(self, x):
        c = x.shape[1]
        return F.batch_norm(x, self.mean[:c], self.var[:c], self.weight[:c], self.bias[:c], self.training)


class SuperNet(nn.Module):
    def __init__(self, space, classes=4):
        super().__init__()
        top = space.largest()
        dims = (3,) + top.widths
        self.convs = nn.ModuleList(ElasticConv(a, b, k) for a, b, k in zip(dims, dims[1:], top.kernels))
        self.norms = nn.ModuleList(SwitchNorm(c) for c in top.widths)
        self.head = nn.Linear(top.widths[-1], classes)

    def forward(self, x, arch):
        for conv, norm, c, k in zip(self.convs, self.norms, arch.widths, arch.kernels):
            x = F.relu_(norm(conv(x, c, k)))
        h = x.mean((2, 3))
        return F.linear(h, self.head.weight[:, :h.shape[1]], self.head.bias)

    @torch.no_grad()
    def sort_channels(self):
        for i in range(len(self.convs) - 1):
            order = self.convs[i + 1].weight.abs().sum((0, 2, 3)).argsort(descending=True)
            self.convs[i + 1].weight.copy_(self.convs[i + 1].weight[:, order])
            self.convs[i].weight.copy_(self.convs[i].weight[order])
            for t in (self.norms[i].weight, self.norms[i].bias, self.norms[i].mean, self.norms[i].var):
                t.copy_(t[order].clone())


def sandwich_step(net, space, opt, x, y, n_random=2):
    opt.zero_grad()
    full = net(x, space.largest())
    F.cross_entropy(full, y).backward()
    teacher = full.detach().div_(2.0).softmax(-1)
    for _ in range(n_random):
        out = net(x, space.sample())
        F.kl_div(out.div(2.0).log_softmax(-1), teacher, reduction="batchmean").backward()
    for p in net.parameters():
        if p.grad is not None:
            p.grad.div_(1 + n_random)
    opt.step()


@torch.no_grad()
def evolve(net, space, x, y, population=4, generations=2):
    net.eval()
    pool = [space.sample() for _ in range(population)]
    for _ in range(generations):
        acc = torch.zeros(len(pool))
        for i, arch in enumerate(pool):
            acc[i] = (net(x, arch).argmax(1) == y).float().mean()
        acc -= 1e-3 * torch.tensor([sum(a.widths) for a in pool])
        keep = [pool[i] for i in acc.topk(population // 2).indices.tolist()]
        pool = keep + [space.mutate(random.choice(keep)) for _ in keep]
    return copy.copy(pool[0])


# --- driver ---
torch.manual_seed(0); random.seed(0)
space = SearchSpace(2, random.Random(1))
net = SuperNet(space)
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, nesterov=True)
x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,))
sandwich_step(net, space, opt, x, y)
net.sort_channels()
sandwich_step(net, space, opt, x, y)
evolve(net, space, x, y)
