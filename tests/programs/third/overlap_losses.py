"""Segmentation losses: dice, tversky, boundary weighting with ignored pixels."""
import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = 255


def to_onehot(target, classes):
    valid = target != IGNORE
    safe = target.clone()
    safe[~valid] = 0
    onehot = torch.zeros(target.shape[0], classes, *target.shape[1:])
    onehot.scatter_(1, safe.unsqueeze(1), 1.0)
    onehot.mul_(valid.unsqueeze(1))
    return onehot, valid.unsqueeze(1).float()


def boundary_weights(target, base=1.0, extra=2.0):
    w = torch.full(target.shape, base)
    dx = target[:, :, 1:] != target[:, :, :-1]
    dy = target[:, 1:] != target[:, :-1]
    w[:, :, 1:][dx] += extra
    w[:, 1:][dy] += extra
    w[target == IGNORE] = 0
    return w


class Tversky(nn.Module):
    def __init__(self, alpha=0.5, beta=0.5, smooth=1.0, gamma=1.0):
        super().__init__()
        self.alpha, self.beta, self.smooth, self.gamma = alpha, beta, smooth, gamma

    def forward(self, logits, target):
        onehot, valid = to_onehot(target, logits.shape[1])
        p = logits.softmax(1) * valid
        dims = (0, 2, 3)
        tp = (p * onehot).sum(dims)
        fp = (p * (1 - onehot)).sum(dims)
        fn = ((1 - p) * onehot).sum(dims)
        num = tp.add(self.smooth)
        den = tp + self.alpha * fp + self.beta * fn
        den += self.smooth
        score = num / den
        present = onehot.sum(dims) > 0
        return ((1 - score)[present] ** self.gamma).mean()


class BoundaryCE(nn.Module):
    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, ignore_index=IGNORE, reduction="none")
        w = boundary_weights(target)
        w /= w.sum().clamp_(min=1.0)
        return (ce * w).sum()


class Compound(nn.Module):
    def __init__(self, **terms):
        super().__init__()
        self.terms = nn.ModuleDict({k: v for k, (v, _) in terms.items()})
        self.coef = {k: c for k, (_, c) in terms.items()}

    def forward(self, logits, target):
        parts = {k: m(logits, target) for k, m in self.terms.items()}
        return sum(self.coef[k] * v for k, v in parts.items()), parts


def make_net(classes):
    return nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.Conv2d(6, classes, 1))


def fit(net, criterion, batches):
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for x, y in batches:
        opt.zero_grad()
        loss, _ = criterion(net(x), y)
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(44)
y = torch.randint(0, 3, (2, 8, 8))
y[:, 0] = IGNORE
fit(make_net(3), Compound(tv=(Tversky(), 1.0), ce=(BoundaryCE(), 0.5)), [(torch.randn(2, 1, 8, 8), y)] * 2)
