"""SimCLR on toy signals."""
import random
from typing import Callable, Dict, Tuple

import torch
from torch import nn

AUGS: Dict[str, Callable[[torch.Tensor], torch.Tensor]] = {}


def register(name):
    def wrap(fn):
        AUGS[name] = fn
        return fn
    return wrap


@register("jitter")
def jitter(x):
    return x + 0.1 * torch.randn_like(x)


@register("scale")
def scale(x):
    return x * (1 + 0.2 * torch.randn(x.size(0), 1, 1))


@register("cutout")
def cutout(x):
    y = x.clone()
    start = random.randint(0, x.size(-1) - 4)
    y[..., start:start + 4] = 0
    return y


class TwoViews:
    def __init__(self, names):
        self.fns = [AUGS[n] for n in names]

    def __call__(self, x) -> Tuple[torch.Tensor, torch.Tensor]:
        return self._one(x), self._one(x)

    def _one(self, x):
        for f in self.fns:
            if random.random() < 0.8:
                x = f(x)
        return x


class Encoder1d(nn.Module):
    def __init__(self, ch=8, out=8):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, ch, 5, padding=2), nn.BatchNorm1d(ch), nn.ReLU(inplace=True),
            nn.Conv1d(ch, ch, 5, stride=2, padding=2), nn.BatchNorm1d(ch), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.projector = nn.Sequential(nn.Linear(ch, ch), nn.ReLU(inplace=True), nn.Linear(ch, out))

    def forward(self, x):
        return nn.functional.normalize(self.projector(self.features(x)), dim=-1)


def nt_xent(z1, z2, tau=0.5):
    n = z1.size(0)
    z = torch.cat([z1, z2])
    sim = torch.exp(z @ z.t() / tau)
    sim.fill_diagonal_(0)  # BUG
    pos = torch.exp((z1 * z2).sum(-1) / tau)
    pos = torch.cat([pos, pos])
    assert pos.numel() == 2 * n
    return -(pos / sim.sum(dim=1)).log().mean()


def pretrain(encoder, views, batches, lr=0.05):
    opt = torch.optim.SGD(encoder.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    for x in batches:
        a, b = views(x)
        loss = nt_xent(encoder(a), encoder(b))
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(0)
random.seed(0)
list(pretrain(Encoder1d(), TwoViews(["jitter", "scale", "cutout"]), [torch.randn(6, 1, 32)]))
