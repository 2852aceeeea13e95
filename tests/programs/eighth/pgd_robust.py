import enum
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


class Norm(enum.Enum):
    LINF = "linf"
    L2 = "l2"


@dataclass(frozen=True)
class AttackConfig:
    norm: Norm = Norm.LINF
    eps: float = 8 / 255
    step: float = 2 / 255
    iters: int = 3
    random_start: bool = True


class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.bn1, self.bn2 = nn.BatchNorm2d(cin), nn.BatchNorm2d(cout)
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.short = nn.Conv2d(cin, cout, 1, stride, bias=False)

    def forward(self, x):
        o = F.relu(self.bn1(x), inplace=True)
        y = self.conv1(o)
        y = self.conv2(F.relu(self.bn2(y), inplace=True))
        y += self.short(o)
        return y


class TinyWRN(nn.Module):
    def __init__(self, classes=4, ch=8):
        super().__init__()
        self.stem = nn.Conv2d(3, ch, 3, 1, 1)
        self.blocks = nn.Sequential(BasicBlock(ch, ch, 1), BasicBlock(ch, ch * 2, 2))
        self.fc = nn.Linear(ch * 2, classes)

    def forward(self, x):
        return self.fc(self.blocks(self.stem(x)).mean((2, 3)))


class PGD:
    def __init__(self, model, cfg: AttackConfig):
        self.model, self.cfg = model, cfg

    def project(self, delta, x):
        c = self.cfg
        if c.norm is Norm.LINF:
            delta = delta.clamp(-c.eps, c.eps)
        else:
            flat = delta.flatten(1).norm(dim=1).clamp_(min=1e-12)
            delta = delta * (c.eps / flat).clamp_(max=1.0).view(-1, 1, 1, 1)
        return (x + delta).clamp_(0, 1).sub_(x)

    def direction(self, g):
        if self.cfg.norm is Norm.LINF:
            return g.sign()
        return g / g.flatten(1).norm(dim=1).clamp_(min=1e-12).view(-1, 1, 1, 1)

    def perturb(self, x, y):
        delta = torch.zeros_like(x)
        if self.cfg.random_start:
            delta.uniform_(-self.cfg.eps, self.cfg.eps)
        delta = self.project(delta, x).requires_grad_(True)
        for _ in range(self.cfg.iters):
            loss = F.cross_entropy(self.model(x + delta), y)
            (grad,) = torch.autograd.grad(loss, delta)
            delta.add_(self.direction(grad), alpha=self.cfg.step)  # BUG
            delta = self.project(delta.detach(), x).requires_grad_(True)
        return (x + delta).detach()


def trades_loss(model, x, x_adv, y, beta):
    clean, adv = model(x), model(x_adv)
    kl = F.kl_div(F.log_softmax(adv, 1), F.softmax(clean, 1), reduction="batchmean")
    return F.cross_entropy(clean, y) + beta * kl


def adversarial_train(model, batches, attack_cfg, lr=0.05, beta=6.0):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)
    attack = PGD(model, attack_cfg)
    for x, y in batches:
        model.eval()
        x_adv = attack.perturb(x, y)
        model.train()
        loss = trades_loss(model, x, x_adv, y, beta)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
data = [(torch.rand(4, 3, 8, 8), torch.randint(0, 4, (4,))) for _ in range(1)]
adversarial_train(TinyWRN(), data, AttackConfig())
