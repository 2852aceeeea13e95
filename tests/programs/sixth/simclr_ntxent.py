import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Compose:
    def __init__(self, *fns):
        self.fns = fns

    def __call__(self, x):
        for f in self.fns:
            x = f(x)
        return x


def random_flip(x):
    return x.flip(-1) if random.random() < 0.5 else x


def cutout(x, size=2):
    x = x.clone()
    h, w = x.shape[-2:]
    i, j = random.randrange(h - size), random.randrange(w - size)
    x[..., i : i + size, j : j + size] = 0
    return x


def gaussian_noise(x, std=0.1):
    return x + std * torch.randn_like(x)


class TwoViews:
    def __init__(self, transform):
        self.transform = transform

    def __call__(self, batch):
        return self.transform(batch), self.transform(batch)


class Encoder(nn.Module):
    def __init__(self, ch=8, proj=6):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(2), nn.Flatten()
        )
        self.projector = nn.Sequential(nn.Linear(ch * 4, 16), nn.ReLU(inplace=True), nn.Linear(16, proj))

    def forward(self, x):
        return F.normalize(self.projector(self.features(x)), dim=-1)


class NTXent(nn.Module):
    def __init__(self, temperature=0.5, hard_weight=0.0):
        super().__init__()
        self.temperature = temperature
        self.hard_weight = hard_weight

    def similarity(self, z):
        return torch.exp(z @ z.t() / self.temperature)

    def forward(self, z1, z2):
        n = z1.size(0)
        sim = self.similarity(torch.cat([z1, z2]))
        pos = torch.cat([sim.diagonal(n), sim.diagonal(-n)])
        sim.fill_diagonal_(0)  # BUG
        denom = sim.sum(dim=1)
        if self.hard_weight:
            denom = denom + self.hard_weight * sim.max(dim=1).values
        return -(pos / denom).log().mean()


class SimCLR:
    def __init__(self, encoder, criterion, lr):
        self.encoder = encoder
        self.criterion = criterion
        self.opt = torch.optim.SGD(encoder.parameters(), lr=lr, momentum=0.9)
        self.running = torch.zeros(1)

    def step(self, views):
        z1, z2 = (self.encoder(v) for v in views)
        loss = self.criterion(z1, z2)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.running.lerp_(loss.detach().view(1), 0.1)


# --- driver ---
torch.manual_seed(0)
random.seed(0)
views = TwoViews(Compose(random_flip, cutout, gaussian_noise))
algo = SimCLR(Encoder(), NTXent(), 0.05)
for _ in range(2):
    algo.step(views(torch.randn(4, 1, 8, 8)))
