from contextlib import contextmanager
import torch


class EMA:
    def __init__(self, model, mu=0.99):
        self.mu = mu
        self.model = model
        self.shadow = {k: p.detach().clone() for k, p in model.named_parameters()}
        self.backup = {}

    @torch.no_grad()
    def update(self):
        for k, p in self.model.named_parameters():
            self.shadow[k].mul_(self.mu).add_(p, alpha=1 - self.mu)

    @torch.no_grad()
    def _load(self, src):
        for k, p in self.model.named_parameters():
            p.copy_(src[k])  # BUG

    @contextmanager
    def average_parameters(self):
        self.backup = {k: p.detach().clone() for k, p in self.model.named_parameters()}
        self._load(self.shadow)
        try:
            yield self.model
        finally:
            self._load(self.backup)
            self.backup = {}
