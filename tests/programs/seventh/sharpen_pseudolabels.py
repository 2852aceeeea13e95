"""MixMatch-like semi-supervised training with sharpened guesses."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class SmallNet(nn.Module):
    def __init__(self, d, classes, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, width), nn.BatchNorm1d(width), nn.ReLU(inplace=True))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.body(x))


class Guesser:
    def __init__(self, temperature=0.5, floor=0.05):
        self.temperature, self.floor = temperature, floor

    def sharpen(self, p: np.ndarray) -> np.ndarray:
        np.power(p, 1.0 / self.temperature, out=p)  # BUG silent
        return p / p.sum(axis=1, keepdims=True)

    def __call__(self, probs: torch.Tensor):
        guess = self.sharpen(probs.detach().cpu().numpy())
        conf = guess.max(axis=1)
        return torch.tensor(guess), torch.from_numpy(conf > self.floor)


class SemiLoss(nn.Module):
    def __init__(self, guesser, lambda_u=1.0, lambda_e=0.1):
        super().__init__()
        self.guesser, self.lambda_u, self.lambda_e = guesser, lambda_u, lambda_e

    def forward(self, logits_x, y, logits_weak, logits_strong):
        sup = F.cross_entropy(logits_x, y)
        weak = logits_weak.softmax(-1)
        marginal = weak.mean(0)
        target, keep = self.guesser(weak)
        cons = ((logits_strong.softmax(-1) - target) ** 2).sum(-1)
        cons = (cons * keep).mean()
        balance = (marginal * marginal.log()).sum()
        return sup + self.lambda_u * cons + self.lambda_e * balance


def weak(x):
    return x + 0.01 * torch.randn_like(x)


def strong(x):
    y = x + 0.2 * torch.randn_like(x)
    y[torch.rand_like(y) < 0.2] = 0
    return y


class SSLTrainer:
    def __init__(self, model, lr=0.05, ema=0.9):
        self.model = model
        self.loss = SemiLoss(Guesser())
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.ema_decay = ema
        self.shadow = {k: v.clone() for k, v in model.state_dict().items()}

    def _track(self):
        for k, v in self.model.state_dict().items():
            if v.is_floating_point():
                self.shadow[k].mul_(self.ema_decay).add_(v, alpha=1 - self.ema_decay)
            else:
                self.shadow[k].copy_(v)

    def step(self, x, y, u):
        logits = self.model(torch.cat([x, weak(u), strong(u)]))
        lx, lw, ls = logits.split([len(x), len(u), len(u)])
        loss = self.loss(lx, y, lw, ls)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self._track()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
trainer = SSLTrainer(SmallNet(6, 3))
trainer.step(torch.randn(6, 6), torch.randint(3, (6,)), torch.randn(10, 6))
