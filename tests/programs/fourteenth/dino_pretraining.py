"""Self-distillation without labels (DINO) on vectors: multi-crop, centring, momentum teacher."""
import copy
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class DinoConfig:
    dim_in: int = 24
    hidden: int = 32
    prototypes: int = 20
    student_temp: float = 0.1
    teacher_temp: float = 0.05
    centre_rate: float = 0.9
    base_momentum: float = 0.98
    local_crops: int = 3
    lr: float = 2e-3
    steps: int = 5


class ProjectionHead(nn.Module):
    def __init__(self, width, prototypes):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))
        self.last = nn.utils.parametrizations.weight_norm(nn.Linear(width, prototypes, bias=False))

    def forward(self, x):
        return self.last(F.normalize(self.mlp(x), dim=-1))


def build(cfg):
    return nn.Sequential(nn.Linear(cfg.dim_in, cfg.hidden), nn.GELU(), ProjectionHead(cfg.hidden, cfg.prototypes))


class DinoLoss(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.register_buffer("centre", torch.zeros(1, cfg.prototypes))

    @torch.no_grad()
    def _move_centre(self, teacher_logits):
        batch_centre = teacher_logits.mean(0, keepdim=True)
        self.centre.mul_(self.cfg.centre_rate).add_(batch_centre, alpha=1 - self.cfg.centre_rate)

    def forward(self, student_views, teacher_views):
        targets = [((t - self.centre) / self.cfg.teacher_temp).softmax(-1) for t in teacher_views]
        logp = [F.log_softmax(s / self.cfg.student_temp, dim=-1) for s in student_views]
        total, terms = 0.0, 0
        for i, q in enumerate(targets):
            for j, lp in enumerate(logp):
                if i == j:
                    continue
                total = total - (q * lp).sum(-1).mean()
                terms += 1
        self._move_centre(torch.cat(teacher_views))
        return total / terms


class MultiCrop:
    def __init__(self, cfg):
        self.cfg = cfg

    def _crop(self, x, keep):
        out = x + 0.05 * torch.randn_like(x)
        hidden = torch.rand_like(x) > keep
        return out.masked_fill_(hidden, 0.0)

    def __call__(self, x):
        big = [self._crop(x, 0.9) for _ in range(2)]
        return big, big + [self._crop(x, 0.5) for _ in range(self.cfg.local_crops)]


class Dino:
    def __init__(self, cfg):
        self.cfg = cfg
        self.student = build(cfg)
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)
        self.loss = DinoLoss(cfg)
        self.crops = MultiCrop(cfg)
        self.opt = torch.optim.AdamW(self.student.parameters(), lr=cfg.lr)
        self.done = 0

    @property
    def momentum(self):
        progress = self.done / self.cfg.steps
        return 1 - (1 - self.cfg.base_momentum) * (math.cos(math.pi * progress) + 1) / 2

    def step(self, x):
        big, all_views = self.crops(x)
        teacher_views = [self.teacher(v) for v in big]
        loss = self.loss([self.student(v) for v in all_views], teacher_views)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.done += 1
        with torch.no_grad():
            for t, s in zip(self.teacher.parameters(), self.student.parameters()):
                t.lerp_(s, 1 - self.momentum)
        return loss.item()


# --- driver ---
torch.manual_seed(2)
cfg = DinoConfig()
dino = Dino(cfg)
print([dino.step(torch.randn(12, cfg.dim_in)) for _ in range(cfg.steps)])
