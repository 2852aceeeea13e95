"""Self distillation with a momentum target network and buffers."""
import copy
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class EMA(nn.Module):
    def __init__(self, model, base=0.99, total=100):
        super().__init__()
        self.shadow = copy.deepcopy(model).requires_grad_(False)
        self.base, self.total, self.n = base, total, 0

    @property
    def tau(self):
        return 1 - (1 - self.base) * (math.cos(math.pi * self.n / self.total) + 1) / 2

    @torch.no_grad()
    def update(self, model):
        tau = self.tau
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(tau).add_(p, alpha=1 - tau)
        for s, b in zip(self.shadow.buffers(), model.buffers()):
            s.copy_(b)
        self.n += 1

    def forward(self, x):
        with torch.no_grad():
            return self.shadow(x)


def projector(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, o))


class SelfDistill(nn.Module):
    def __init__(self, inp=10, hid=12, out=6):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(inp, hid), nn.ReLU(inplace=True), projector(hid, hid, out))
        self.predict = projector(out, hid, out)
        self.target = EMA(self.online)
        self.register_buffer("centre", torch.zeros(out))

    @torch.no_grad()
    def update_centre(self, z, m=0.9):
        self.centre.mul_(m).add_(z.mean(0), alpha=1 - m)

    def regress(self, a, b):
        p = F.normalize(self.predict(self.online(a)), dim=-1)
        z = self.target(b)
        t = F.normalize(z - self.centre, dim=-1)
        return (2 - 2 * (p * t).sum(-1)).mean(), z

    def forward(self, a, b):
        l1, z1 = self.regress(a, b)
        l2, z2 = self.regress(b, a)
        return l1 + l2, torch.cat([z1, z2])


class Augment:
    def __init__(self, drop=0.2, noise=0.05):
        self.drop, self.noise = drop, noise

    def __call__(self, x):
        out = x.clone()
        out.add_(torch.randn_like(out), alpha=self.noise)
        out.masked_fill_(torch.rand_like(out) < self.drop, 0.0)
        return out


def pretrain(model, batches, lr=0.03):
    aug = Augment()
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=lr, momentum=0.9, weight_decay=1e-4)
    for x in batches:
        loss, z = model(aug(x), aug(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.target.update(model.online)
        model.update_centre(z)


# --- driver ---
torch.manual_seed(42)
pretrain(SelfDistill(), torch.randn(2, 6, 10))
