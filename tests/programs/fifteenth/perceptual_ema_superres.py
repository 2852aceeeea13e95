"""Super-resolution with a self-distilled perceptual loss.

The feature network used in the loss is an exponential average of an encoder
that is trained alongside on reconstruction.
"""
import copy
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn import functional as F


def encoder(width=12):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1),
        nn.GELU(),
        nn.Conv2d(width, width, 3, stride=2, padding=1),
        nn.GELU(),
        nn.Conv2d(width, width, 3, padding=1),
    )


class SRNet(nn.Module):
    def __init__(self, width=12, scale=2):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU(inplace=True))
        self.body = nn.Conv2d(width, 3 * scale ** 2, 3, padding=1)
        self.shuffle = nn.PixelShuffle(scale)

    def forward(self, x):
        return self.shuffle(self.body(self.enc(x)))


class Averager:
    def __init__(self, source: nn.Module, decay: float):
        self.source = source
        self.decay = decay
        self.shadow = copy.deepcopy(source).requires_grad_(False)
        self.updates = 0

    def __call__(self, x):
        return self.shadow(x)

    def momentum(self):
        return min(self.decay, (1 + self.updates) / (10 + self.updates))

    @torch.no_grad()
    def advance(self):
        d = self.momentum()
        for avg, cur in zip(self.shadow.parameters(), self.source.parameters()):
            avg.lerp_(cur, 1.0 - d)  # BUG
        self.updates += 1


class Experiment:
    def __init__(self):
        self.sr = SRNet()
        self.enc = encoder()
        self.dec = nn.Sequential(nn.ConvTranspose2d(12, 3, 2, stride=2))
        self.perceptual = Averager(self.enc, decay=0.99)
        params = [*self.sr.parameters(), *self.enc.parameters(), *self.dec.parameters()]
        self.opt = torch.optim.Adam(params, lr=1e-3)

    @contextmanager
    def optimise(self):
        terms = {}
        self.opt.zero_grad()
        yield terms
        total = sum(terms.values())
        total.backward()
        self.opt.step()

    def iteration(self, hi):
        lo = F.avg_pool2d(hi, 2)
        with self.optimise() as terms:
            out = self.sr(lo)
            with torch.no_grad():
                ref = self.perceptual(hi)
            terms["pixel"] = F.l1_loss(out, hi)
            terms["feat"] = 0.1 * F.mse_loss(self.perceptual(out), ref)
            terms["recon"] = F.mse_loss(self.dec(self.enc(hi)), hi)
            self.perceptual.advance()
        return {k: v.item() for k, v in terms.items()}


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    exp = Experiment()
    for i in range(3):
        print(i, exp.iteration(torch.rand(2, 3, 16, 16)))
