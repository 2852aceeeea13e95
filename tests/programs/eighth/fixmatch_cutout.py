import itertools
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class SSLConfig(NamedTuple):
    threshold: float = 0.0
    lambda_u: float = 1.0
    mu: int = 2
    cut: int = 4
    lr: float = 0.03


class StridedCNN(nn.Module):
    def __init__(self, classes, ch=6):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, ch, 3, 2, 1), nn.GroupNorm(2, ch), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(ch, ch * 2, 3, 2, 1), nn.GroupNorm(2, ch * 2), nn.LeakyReLU(0.1, inplace=True),
        )
        self.classifier = nn.Linear(ch * 2, classes)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class Cutout:
    def __init__(self, size, value=0.5):
        self.size, self.value = size, value

    def __call__(self, batch):
        h, w = batch.shape[-2:]
        for i in range(batch.size(0)):
            y = int(torch.randint(0, h - self.size + 1, (1,)))
            x = int(torch.randint(0, w - self.size + 1, (1,)))
            batch[i, :, y:y + self.size, x:x + self.size] = self.value  # BUG
        return batch


class ColourJitter:
    def __init__(self, strength):
        self.strength = strength

    def __call__(self, batch):
        gain = 1 + self.strength * (torch.rand(batch.size(0), 3, 1, 1) - 0.5)
        return (batch * gain).clamp_(0, 1)


def compose(*fns):
    def run(x):
        for f in fns:
            x = f(x)
        return x
    return run


class FixMatch:
    def __init__(self, model, cfg: SSLConfig):
        self.model, self.cfg = model, cfg
        self.weak = compose(lambda x: x.flip(-1) if torch.rand(()) < 0.5 else x)
        self.strong = compose(Cutout(cfg.cut), ColourJitter(0.4))
        self.opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9, nesterov=True)
        self.usage = 0.0

    def unsupervised(self, x):
        weak = self.weak(x)
        logits_w = self.model(weak)
        probs = logits_w.detach().softmax(1)
        conf, pseudo = probs.max(1)
        mask = (conf >= self.cfg.threshold).float()
        logits_s = self.model(self.strong(weak))
        self.usage = mask.mean().item()
        consistency = (F.cross_entropy(logits_s, pseudo, reduction="none") * mask).mean()
        entropy = -(logits_w.softmax(1) * logits_w.log_softmax(1)).sum(1).mean()
        return consistency + 0.1 * entropy

    def step(self, labelled, unlabelled):
        x, y = labelled
        loss_x = F.cross_entropy(self.model(x), y)
        loss_u = self.unsupervised(unlabelled)
        loss = loss_x + self.cfg.lambda_u * loss_u
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss_x.item(), loss_u.item()


def image_stream(batch, classes, size=12, labelled=True):
    while True:
        y = torch.randint(0, classes, (batch,))
        x = torch.rand(batch, 3, size, size).mul_(0.5)
        x += 0.5 * (y / classes).view(-1, 1, 1, 1)
        yield (x, y) if labelled else x


def run(algo, classes, batch, steps):
    sup = image_stream(batch, classes)
    unsup = image_stream(batch * algo.cfg.mu, classes, labelled=False)
    return [algo.step(a, b) for a, b in itertools.islice(zip(sup, unsup), steps)]


# --- driver ---
torch.manual_seed(0)
run(FixMatch(StridedCNN(4), SSLConfig()), classes=4, batch=2, steps=2)
