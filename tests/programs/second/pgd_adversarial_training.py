"""Adversarial training with PGD (Madry et al.) plus a TRADES-like regulariser."""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextlib.contextmanager
def frozen_eval(model):
    was = model.training
    model.eval()
    flags = [p.requires_grad for p in model.parameters()]
    model.requires_grad_(False)
    try:
        yield model
    finally:
        for p, f in zip(model.parameters(), flags):
            p.requires_grad_(f)
        model.train(was)


class WideNet(nn.Module):
    def __init__(self, width=8, classes=3):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(width)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        h = F.relu_(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(h))
        out += h
        out = F.relu_(out)
        return self.fc(out.mean(dim=(2, 3)))


def pgd(model, x, y, eps=8 / 255, alpha=2 / 255, steps=3):
    x_adv = x.clone().add_(torch.empty_like(x).uniform_(-eps, eps)).clamp_(0, 1)
    with frozen_eval(model):
        for _ in range(steps):
            x_adv.requires_grad_(True)
            loss = F.cross_entropy(model(x_adv), y)
            loss.backward()
            with torch.no_grad():
                x_adv += alpha * x_adv.grad.sign()
                x_adv.sub_(x).clamp_(-eps, eps).add_(x).clamp_(0, 1)
            x_adv.grad.zero_()
    return x_adv.detach()


def trades_loss(model, x, y, beta=2.0):
    x_adv = pgd(model, x, y)
    clean = model(x)
    adv = model(x_adv)
    kl = F.kl_div(F.log_softmax(adv, 1), F.softmax(clean, 1), reduction="batchmean")
    return F.cross_entropy(clean, y) + beta * kl


class WeightAverager:
    def __init__(self, model):
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model, decay=0.99):
        for k, v in model.state_dict().items():
            if v.is_floating_point():
                self.shadow[k].mul_(decay).add_(v, alpha=1 - decay)
            else:
                self.shadow[k].copy_(v)


def train(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    avg = WeightAverager(model)
    for x, y in loader:
        loss = trades_loss(model, x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        avg.update(model)
    return avg


# --- driver ---
torch.manual_seed(0)
train(WideNet(), [(torch.rand(4, 3, 8, 8), torch.randint(0, 3, (4,))) for _ in range(2)])
