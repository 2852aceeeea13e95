"""Semi-supervised classification of series with a mean teacher, consistency ramp-up and jitter augmentations."""
import copy
import math

import torch
from torch import nn
import torch.nn.functional as F


class Augment:
    """Random scaling, jitter and a blanked interval. Works on a private copy."""

    def __init__(self, jitter=0.05, blank=0.2):
        self.jitter, self.blank = jitter, blank

    def __call__(self, x):
        y = x.clone()
        y.mul_(1 + 0.1 * torch.randn(len(y), 1, 1))
        y.add_(torch.randn_like(y), alpha=self.jitter)
        width = int(self.blank * y.shape[-1])
        start = torch.randint(0, y.shape[-1] - width, (len(y), 1))
        pos = torch.arange(y.shape[-1])
        hole = (pos >= start) & (pos < start + width)
        return y.masked_fill_(hole.unsqueeze(1), 0.0)


class ConvNet(nn.Module):
    def __init__(self, classes, width=12):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, width, 7, padding=3), nn.BatchNorm1d(width), nn.LeakyReLU(0.1, inplace=True),
            nn.MaxPool1d(2),
            nn.Conv1d(width, 2 * width, 5, padding=2), nn.BatchNorm1d(2 * width), nn.LeakyReLU(0.1, inplace=True),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.2),
        )
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x):
        return self.head(self.net(x))


class Teacher:
    def __init__(self, student, decay=0.95):
        self.net = copy.deepcopy(student).requires_grad_(False)
        self.decay, self.n = decay, 0

    @torch.no_grad()
    def follow(self, student):
        self.n += 1
        d = min(self.decay, (1 + self.n) / (10 + self.n))
        torch._foreach_lerp_(list(self.net.parameters()), list(student.parameters()), 1 - d)
        for mine, theirs in zip(self.net.buffers(), student.buffers()):
            if mine.is_floating_point():
                mine.lerp_(theirs, 1 - d)
            else:
                mine.copy_(theirs)

    def targets(self, x, temperature=0.7):
        with torch.no_grad():
            return self.net(x).div_(temperature).softmax(-1)


class MeanTeacher:
    def __init__(self, student, ramp=6, weight=5.0, gate=0.4):
        self.student, self.teacher, self.aug = student, Teacher(student), Augment()
        self.opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True)
        self.ramp, self.weight, self.gate, self.t = ramp, weight, gate, 0

    def consistency_weight(self):
        x = min(1.0, self.t / self.ramp)
        return self.weight * math.exp(-5 * (1 - x) ** 2)

    def step(self, x, y, unlabelled):
        both = torch.cat([x, unlabelled])
        logits = self.student(self.aug(both))
        target = self.teacher.targets(self.aug(both))
        sure = target.amax(1) > self.gate
        target[: len(x)] = F.one_hot(y, target.shape[1]).float()
        sure[: len(x)] = True
        sup = F.cross_entropy(logits[: len(x)], y)
        gap = (logits.softmax(-1) - target).square().sum(1)
        loss = sup + self.consistency_weight() * (gap * sure).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.teacher.follow(self.student)
        self.t += 1
        return loss.item(), sure.float().mean().item()


def waves(n, length=48):
    y = torch.randint(0, 3, (n,))
    t = torch.linspace(0, 6.28, length)
    phase = 6.28 * torch.rand(n, 1)
    sine = torch.sin(2 * t + phase)
    shapes = torch.stack([sine, sine.sign(), torch.asin(sine.clamp(-0.999, 0.999))], 1)
    return shapes[torch.arange(n), y].unsqueeze(1) + 0.1 * torch.randn(n, 1, length), y


# --- driver ---
torch.manual_seed(0)
trainer = MeanTeacher(ConvNet(3))
for _ in range(5):
    x, y = waves(8)
    print(trainer.step(x, y, waves(24)[0]))
