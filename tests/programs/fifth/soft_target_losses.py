"""Classification losses on soft targets: smoothing, focal, asymmetric, class balanced."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

__all__ = ['SmoothedCE', 'FocalLoss', 'AsymmetricLoss', 'ClassBalance', 'fit_losses']


def one_hot(y: Tensor, n: int, smoothing: float = 0.0) -> Tensor:
    t = torch.full((y.numel(), n), smoothing / max(1, n - 1))
    t.scatter_(1, y.view(-1, 1), 1.0 - smoothing)
    return t


class ClassBalance:
    """Effective-number weights with running counts."""

    def __init__(self, n: int, beta: float = 0.99):
        self.counts = torch.ones(n)
        self.beta = beta

    def observe(self, y: Tensor) -> None:
        self.counts.mul_(self.beta)
        self.counts.index_add_(0, y, torch.ones(len(y)))

    def weights(self) -> Tensor:
        w = torch.full_like(self.counts, self.beta).pow_(self.counts).neg_().add_(1).reciprocal_()
        w.mul_(len(w) / w.sum())
        return w


class SmoothedCE(nn.Module):
    def __init__(self, n: int, smoothing: float = 0.1, ignore: int = -1):
        super().__init__()
        self.n, self.smoothing, self.ignore = n, smoothing, ignore

    def forward(self, logits: Tensor, y: Tensor) -> Tensor:
        drop = y == self.ignore
        target = one_hot(y.masked_fill(drop, 0), self.n, self.smoothing)
        target[drop] = 0.0
        shifted = logits - logits.detach().amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log_()
        return -(logp * target).sum() / (~drop).sum()


class FocalLoss(nn.Module):
    def __init__(self, gamma: float = 2.0, balance: ClassBalance = None):
        super().__init__()
        self.gamma, self.balance = gamma, balance

    def forward(self, logits: Tensor, y: Tensor) -> Tensor:
        keep = y >= 0
        logits, y = logits[keep], y[keep]
        logp = F.log_softmax(logits, 1).gather(1, y[:, None]).squeeze(1)
        mod = logp.detach().exp().neg_().add_(1).pow_(self.gamma)
        if self.balance is not None:
            self.balance.observe(y)
            mod *= self.balance.weights()[y]
        return -(mod * logp).mean()


class AsymmetricLoss(nn.Module):
    def __init__(self, n: int, neg: float = 4.0, clip: float = 0.05):
        super().__init__()
        self.n, self.neg, self.clip = n, neg, clip

    def forward(self, logits: Tensor, y: Tensor) -> Tensor:
        t = one_hot(y.clamp(min=0), self.n)
        t[y < 0] = 0
        p = torch.sigmoid(logits)
        q = 1 - p
        q.add_(self.clip).clamp_(max=1)
        w = torch.ones_like(t)
        with torch.no_grad():
            w.sub_(t * p).sub_((1 - t) * q).pow_(self.neg)
        ll = t * p.clamp(min=1e-8).log()
        ll += (1 - t) * q.clamp(min=1e-8).log()
        ll *= w
        return -ll.sum(1).mean()


def fit_losses(model: nn.Module, losses, x: Tensor, y: Tensor, lr: float = 0.1):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    log = torch.zeros(len(losses))
    for i, crit in enumerate(losses):
        opt.zero_grad()
        loss = crit(model(x), y)
        loss.backward()
        opt.step()
        log[i] = loss.detach()
    return log


# --- driver ---
torch.manual_seed(0)
y = torch.tensor([0, 1, 2, -1, 3, 0])
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(inplace=True), nn.Linear(8, 4))
fit_losses(model, [SmoothedCE(4), FocalLoss(2.0, ClassBalance(4)), AsymmetricLoss(4)], torch.randn(6, 5), y)
