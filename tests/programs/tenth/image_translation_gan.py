"""Paired image translation: patch discriminator, feature matching, and one forward pass per player."""
from dataclasses import dataclass
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Weights:
    adversarial: float = 1.0
    features: float = 10.0
    pixel: float = 50.0


class Translator(nn.Module):
    def __init__(self, ch: int = 8):
        super().__init__()
        self.down1 = nn.Conv2d(1, ch, 4, 2, 1)
        self.down2 = nn.Conv2d(ch, 2 * ch, 4, 2, 1)
        self.up2 = nn.ConvTranspose2d(2 * ch, ch, 4, 2, 1)
        self.up1 = nn.ConvTranspose2d(2 * ch, 1, 4, 2, 1)

    def forward(self, x):
        a = F.leaky_relu(self.down1(x), 0.2)
        b = F.leaky_relu(self.down2(a), 0.2)
        u = F.relu(self.up2(b), inplace=True)
        return torch.tanh(self.up1(torch.cat([u, a], 1)))


class PatchCritic(nn.Module):
    def __init__(self, ch: int = 8):
        super().__init__()
        sizes = [2, ch, 2 * ch]
        self.layers = nn.ModuleList(nn.Conv2d(a, b, 4, 2, 1) for a, b in zip(sizes, sizes[1:]))
        self.score = nn.Conv2d(sizes[-1], 1, 3, padding=1)

    def forward(self, source, image) -> List[torch.Tensor]:
        h, feats = torch.cat([source, image], 1), []
        for layer in self.layers:
            h = F.leaky_relu(layer(h), 0.2)
            feats.append(h)
        return feats + [self.score(h)]


def lsgan(score, real: bool):
    return (score - float(real)).square().mean()


class PairedTranslation:
    def __init__(self, weights: Weights = Weights()):
        self.g, self.d, self.w = Translator(), PatchCritic(), weights
        self.opt_g = torch.optim.Adam(self.g.parameters(), 2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.d.parameters(), 2e-4, betas=(0.5, 0.999))
        self.ledger = torch.zeros(2)

    def generator_objective(self, source, target, fake):
        on_fake = self.d(source, fake)
        with torch.no_grad():
            on_real = self.d(source, target)
        match = sum(F.l1_loss(f, r) for f, r in zip(on_fake[:-1], on_real[:-1]))
        return (self.w.adversarial * lsgan(on_fake[-1], True) + self.w.features * match
                + self.w.pixel * F.l1_loss(fake, target))

    def critic_objective(self, source, target, fake):
        real_score = self.d(source, target)[-1]
        fake_score = self.d(source, fake.detach())[-1]
        return 0.5 * (lsgan(real_score, True) + lsgan(fake_score, False))

    def update_critic(self, loss):
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()  # BUG

    def update_generator(self, loss):
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()

    def train_step(self, source, target) -> Dict[str, float]:
        fake = self.g(source)
        losses = {"g": self.generator_objective(source, target, fake), "d": self.critic_objective(source, target, fake)}
        self.update_critic(losses["d"])
        self.update_generator(losses["g"])
        self.ledger += torch.tensor([losses["g"].item(), losses["d"].item()])
        return {k: v.item() for k, v in losses.items()}


def edges_to_blobs(n, side=16):
    target = F.interpolate(torch.rand(n, 1, 4, 4), size=side, mode="bilinear").mul_(2).sub_(1)
    source = target.clone()
    source[..., 1:] -= target[..., :-1]
    return source, target


# --- driver ---
torch.manual_seed(33)
game = PairedTranslation()
for _ in range(2):
    game.train_step(*edges_to_blobs(4))
