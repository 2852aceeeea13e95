from abc import ABC, abstractmethod

import torch

from .schedule import SCHEDULES


class Sampler(ABC):
    """Reverse process that keeps the graph, for end-to-end tuning by a reward (DRaFT style).

    ``sample(x_T)`` returns x_0. ``truncate=K`` keeps only the last K steps in the graph.
    """

    def __init__(self, model, steps=4, schedule="cosine", truncate=None):
        self.model = model
        self.steps = steps
        self.alpha_bar = SCHEDULES[schedule](steps)
        self.truncate = truncate

    def sample(self, x):
        x = x.clone()
        for i in reversed(range(self.steps)):
            grad = self.truncate is None or i < self.truncate
            with torch.set_grad_enabled(grad):
                t = torch.full((x.size(0),), i)
                x = self.step(x, self.model(x, t), i)
        return x

    def prev(self, i):
        return self.alpha_bar[i - 1] if i > 0 else torch.ones(())

    @abstractmethod
    def step(self, x, eps, i):
        ...


class DDIM(Sampler):
    def step(self, x, eps, i):
        ab, ap = self.alpha_bar[i], self.prev(i)
        x0 = (x - (1 - ab).sqrt() * eps) / ab.sqrt()
        return ap.sqrt() * x0 + (1 - ap).sqrt() * eps


class DDPM(Sampler):
    """Ancestral; noise is fresh at each step."""

    def step(self, x, eps, i):
        ab, ap = self.alpha_bar[i], self.prev(i)
        alpha = ab / ap
        x.sub_(eps * ((1 - alpha) / (1 - ab).sqrt()))  # BUG
        x.div_(alpha.sqrt())
        if i > 0:
            sigma = ((1 - ap) / (1 - ab) * (1 - alpha)).sqrt()
            x.add_(torch.randn_like(x).mul_(sigma))
        return x


def build_sampler(name, model, **kwargs):
    """name: "ddim" or "ddpm"."""
    return {"ddim": DDIM, "ddpm": DDPM}[name](model, **kwargs)
