import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    """MADE style layer."""

    def __init__(self, i, o, bias=True):
        super().__init__(i, o, bias)
        self.register_buffer("mask", torch.ones(o, i))

    def set_mask(self, mask):
        self.mask.data.copy_(torch.from_numpy(mask.astype(np.uint8).T))

    def forward(self, x):
        self.weight.data.mul_(self.mask)
        return F.linear(x, self.weight, self.bias)


class MADE(nn.Module):
    def __init__(self, nin, hidden):
        super().__init__()
        self.nin = nin
        sizes = [nin] + hidden
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [MaskedLinear(a, b), nn.ReLU(inplace=True)]
        layers += [MaskedLinear(sizes[-1], nin)]
        self.net = nn.Sequential(*layers)
        self.update_masks(hidden)

    def update_masks(self, hidden):
        rng = np.random.RandomState(0)
        m = {-1: np.arange(self.nin)}
        for l, h in enumerate(hidden):
            m[l] = rng.randint(m[l - 1].min(), self.nin - 1, size=h)
        masks = [m[l - 1][:, None] <= m[l][None, :] for l in range(len(hidden))]
        masks += [m[len(hidden) - 1][:, None] < m[-1][None, :]]
        for layer, mk in zip([l for l in self.net if isinstance(l, MaskedLinear)], masks):
            layer.set_mask(mk)

    def forward(self, x):
        return self.net(x)


class MagnitudePruner:
    def __init__(self, layers, final=0.5, steps=6):
        self.layers, self.final, self.steps, self.t = layers, final, steps, 0

    def step(self):
        self.t += 1
        frac = self.final * (1 - (1 - min(1, self.t / self.steps)) ** 3)
        for l in self.layers:
            w = l.weight.data.abs()
            w[l.mask == 0] = -1
            live = w[w >= 0]
            k = int(frac * live.numel())
            if k:
                thr = live.kthvalue(k).values
                l.mask[(w <= thr)] = 0
                l.weight.data[l.mask == 0] = 0


def nll(model, x):
    return F.binary_cross_entropy_with_logits(model(x), x, reduction="none").sum(1).mean()


def main():
    torch.manual_seed(43)
    torch.set_num_threads(1)
    made = MADE(8, [24, 24])
    opt = torch.optim.Adam(made.parameters(), 1e-2)
    pruner = MagnitudePruner([l for l in made.net if isinstance(l, MaskedLinear)])
    for it in range(9):
        x = (torch.rand(64, 8) < 0.5).float()
        x[:, 1::2] = x[:, ::2]
        xa, xb = x.chunk(2)
        loss = nll(made, xa)
        loss += nll(made, xb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 2:
            pruner.step()
        if it % 3 == 0:
            dens = [round(l.mask.mean().item(), 3) for l in pruner.layers]
            print(it, round(loss.item() / 2 / 8 / math.log(2), 4), dens)


if __name__ == "__main__":
    main()
