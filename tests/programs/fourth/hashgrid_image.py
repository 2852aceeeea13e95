import itertools
import math

import torch
import torch.nn as nn

PRIMES = (1, 2654435761)


class HashLevel(nn.Module):
    def __init__(self, resolution, log2_size, feats):
        super().__init__()
        self.res, self.size = resolution, 2 ** log2_size
        self.table = nn.Parameter(torch.empty(self.size, feats).uniform_(-1e-2, 1e-2))

    def index(self, ij):
        h = ij[..., 0] * PRIMES[0]
        h = h.bitwise_xor_(ij[..., 1] * PRIMES[1])
        return h.remainder_(self.size)

    def forward(self, xy):
        pos = xy * self.res
        low = pos.floor()
        frac = pos - low
        low = low.long()
        out = xy.new_zeros(len(xy), self.table.shape[1])
        for corner in itertools.product((0, 1), repeat=2):
            c = torch.tensor(corner)
            w = torch.where(c.bool(), frac, 1 - frac).prod(-1, keepdim=True)
            out += w * self.table[self.index(low + c)]
        return out


class HashImage(nn.Module):
    def __init__(self, levels=3, base=4, growth=1.5, feats=2, hidden=16):
        super().__init__()
        self.levels = nn.ModuleList(HashLevel(int(base * growth ** i), 6, feats) for i in range(levels))
        self.mlp = nn.Sequential(nn.Linear(levels * feats, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 3))
        self.active = levels

    def forward(self, xy):
        feats = torch.cat([lvl(xy) for lvl in self.levels], -1)
        if self.active < len(self.levels):
            mask = torch.ones(feats.shape[1])
            mask[self.active * 2:] = 0
            feats = feats * mask
        return self.mlp(feats).sigmoid_()


class ErrorMap:
    """Importance sampler over pixels that keeps a decayed error per cell."""

    def __init__(self, cells, decay=0.9):
        self.cells, self.decay = cells, decay
        self.value = torch.ones(cells * cells)

    def draw(self, n):
        cell = torch.multinomial(self.value, n, replacement=True)
        xy = torch.stack([cell % self.cells, cell // self.cells], -1).float()
        xy += torch.rand_like(xy)
        xy /= self.cells
        prob = self.value[cell] / self.value.sum()
        return xy, cell, prob.mul_(len(self.value)).reciprocal_()

    def record(self, cell, err):
        self.value.mul_(self.decay)
        self.value.scatter_reduce_(0, cell, err.detach(), reduce="amax")
        self.value.clamp_(min=1e-3)


def lookup(image, xy):
    h, w, _ = image.shape
    ij = (xy * torch.tensor([w, h])).long()
    ij[:, 0].clamp_(0, w - 1)
    ij[:, 1].clamp_(0, h - 1)
    return image[ij[:, 1], ij[:, 0]]


def fit(image, steps, batch=32):
    net, sampler = HashImage(), ErrorMap(4)
    opt = torch.optim.Adam([{"params": net.levels.parameters(), "lr": 1e-2}, {"params": net.mlp.parameters()}], lr=1e-3, eps=1e-15)
    for step in range(steps):
        net.active = min(len(net.levels), 1 + step)
        xy, cell, weight = sampler.draw(batch)
        err = (net(xy) - lookup(image, xy)).square().mean(-1)
        loss = (err * weight).mean()
        sampler.record(cell, err)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return -10 * math.log10(loss.item())


# --- driver ---
torch.manual_seed(0)
fit(torch.rand(8, 8, 3), 3)
