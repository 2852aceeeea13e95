"""Federated averaging with server momentum, client sampling and update clipping with Gaussian noise (DP-FedAvg)."""
import copy
import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


@dataclass(frozen=True)
class FedConfig:
    rounds: int = 3
    per_round: int = 3
    local_steps: int = 2
    local_lr: float = 0.1
    server_lr: float = 0.8
    momentum: float = 0.6
    clip: float = 1.0
    noise: float = 0.01
    prox: float = 0.01


class Site:
    """Local data and a local copy of the network."""

    def __init__(self, x, y, template):
        self.x, self.y = x, y
        self.net = copy.deepcopy(template)

    def sync(self, flat):
        with torch.no_grad():
            offset = 0
            for p in self.net.parameters():
                p.copy_(flat[offset:offset + p.numel()].view_as(p))
                offset += p.numel()

    def work(self, flat, cfg):
        self.sync(flat)
        opt = torch.optim.SGD(self.net.parameters(), lr=cfg.local_lr)
        for _ in range(cfg.local_steps):
            opt.zero_grad()
            loss = F.cross_entropy(self.net(self.x), self.y)
            drift = parameters_to_vector(self.net.parameters()) - flat
            (loss + 0.5 * cfg.prox * drift.square().sum()).backward()
            opt.step()
        update = parameters_to_vector(self.net.parameters()).detach() - flat
        update.mul_((cfg.clip / update.norm().clamp_min(1e-9)).clamp(max=1.0))
        return update, loss.item()


class Server:
    def __init__(self, net, sites, cfg, seed=0):
        self.net, self.sites, self.cfg = net, sites, cfg
        self.flat = parameters_to_vector(net.parameters()).detach().clone()
        self.velocity = torch.zeros_like(self.flat)
        self.rng = random.Random(seed)

    def round(self):
        cfg = self.cfg
        picked = self.rng.sample(self.sites, cfg.per_round)
        total = torch.zeros_like(self.flat)
        losses = []
        for site in picked:
            update, loss = site.work(self.flat, cfg)
            total += update
            losses.append(loss)
        total += torch.randn_like(total) * cfg.noise * cfg.clip
        total /= cfg.per_round
        self.velocity.mul_(cfg.momentum).add_(total)
        self.flat.add_(self.velocity, alpha=cfg.server_lr)
        return sum(losses) / len(losses)

    def publish(self):
        vector_to_parameters(self.flat.clone(), self.net.parameters())
        return self.net

    @torch.no_grad()
    def accuracy(self):
        net = self.publish()
        hits = [(net(s.x).argmax(1) == s.y).float().mean() for s in self.sites]
        return torch.stack(hits)


def make_sites(n, template, classes=3):
    w = torch.randn(6, classes)
    for i in range(n):
        x = torch.randn(20, 6) + 0.3 * torch.randn(6)
        yield Site(x, (x @ w).argmax(1), template)


# --- driver ---
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
cfg = FedConfig()
server = Server(net, list(make_sites(5, net)), cfg)
for _ in range(cfg.rounds):
    print(server.round())
print(server.accuracy())
