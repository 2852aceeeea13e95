"""TRADES adversarial training: KL-driven PGD inside an epsilon ball, then a clean + robust objective."""
from contextlib import contextmanager
from typing import Protocol

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextmanager
def evaluating(model: nn.Module):
    was = model.training
    model.eval()
    try:
        yield model
    finally:
        model.train(was)


class Ball(Protocol):
    def ascend_(self, delta: torch.Tensor, grad: torch.Tensor) -> None: ...
    def project_(self, delta: torch.Tensor) -> None: ...


class LinfBall:
    def __init__(self, eps: float, step: float):
        self.eps, self.step = eps, step

    def ascend_(self, delta, grad):
        delta.add_(grad.sign(), alpha=self.step)

    def project_(self, delta):
        delta.clamp_(-self.eps, self.eps)


class L2Ball:
    def __init__(self, eps: float, step: float):
        self.eps, self.step = eps, step

    @staticmethod
    def _norm(t):
        return t.flatten(1).norm(dim=1).clamp_min_(1e-12).view(-1, *[1] * (t.dim() - 1))

    def ascend_(self, delta, grad):
        delta.addcdiv_(grad, self._norm(grad).expand_as(grad), value=self.step)

    def project_(self, delta):
        delta.mul_((self.eps / self._norm(delta)).clamp_(max=1.0))


class PGD:
    def __init__(self, ball: Ball, iterations: int, low: float = 0.0, high: float = 1.0):
        self.ball, self.iterations, self.low, self.high = ball, iterations, low, high

    def __call__(self, objective, x: torch.Tensor) -> torch.Tensor:
        delta = torch.zeros_like(x).normal_(0, 1e-3).requires_grad_()
        for _ in range(self.iterations):
            grad, = torch.autograd.grad(objective(x + delta), delta)
            with torch.no_grad():
                self.ball.ascend_(delta, grad)
                self.ball.project_(delta)
                delta.copy_((x + delta).clamp_(self.low, self.high) - x)
        return (x + delta).detach()


def kl(p_logits: torch.Tensor, q_logits: torch.Tensor) -> torch.Tensor:
    return F.kl_div(F.log_softmax(q_logits, 1), F.log_softmax(p_logits, 1), log_target=True, reduction="batchmean")


class TradesTrainer:
    def __init__(self, model: nn.Module, attack: PGD, beta: float = 4.0, lr: float = 0.05):
        self.model, self.attack, self.beta = model, attack, beta
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def adversary(self, x):
        with evaluating(self.model) as net:
            with torch.no_grad():
                reference = net(x)
            return self.attack(lambda v: kl(reference, net(v)), x)

    def step(self, x, y):
        x_adv = self.adversary(x)
        clean, robust = self.model(torch.cat([x, x_adv])).chunk(2)
        loss = F.cross_entropy(clean, y) + self.beta * kl(clean, robust)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item(), (x_adv - x).abs().max().item()


def small_cnn(classes: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, classes))


# --- driver ---
torch.manual_seed(3)
for ball in (LinfBall(0.1, 0.04), L2Ball(0.5, 0.2)):
    trainer = TradesTrainer(small_cnn(3), PGD(ball, iterations=3))
    for _ in range(2):
        print(trainer.step(torch.rand(6, 1, 8, 8), torch.randint(0, 3, (6,))))
