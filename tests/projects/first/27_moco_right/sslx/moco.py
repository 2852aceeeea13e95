import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from .queue import FeatureQueue
from .registry import method


class Projector(nn.Sequential):
    def __init__(self, d, h, o):
        super().__init__(nn.Linear(d, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, o))


class MomentumMixin:
    def make_momentum(self, net):
        twin = copy.deepcopy(net)
        for p in twin.parameters():
            p.requires_grad_(False)
        return twin

    @torch.no_grad()
    def momentum_update(self, online, twin, m):
        for a, b in zip(online.parameters(), twin.parameters()):
            b.data.mul_(m).add_(a.data, alpha=1 - m)


@method("moco")
class MoCo(MomentumMixin, nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.T, self.m = cfg["T"], cfg["m"]
        self.online = Projector(cfg["d"], 16, 8)
        self.twin = self.make_momentum(self.online)
        self.queue = FeatureQueue(cfg["K"], 8)

    def training_step(self, views):
        q = F.normalize(self.online(views[0]), dim=1)
        with torch.no_grad():
            self.momentum_update(self.online, self.twin, self.m)
            k = F.normalize(self.twin(views[1]), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.snapshot().t()
        logits = torch.cat([pos, neg], 1)
        logits /= self.T
        self.queue.push(k)
        return F.cross_entropy(logits, torch.zeros(q.size(0), dtype=torch.long))
