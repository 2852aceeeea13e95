"""A small family of autoencoders sharing one training skeleton."""
from abc import ABC, abstractmethod

import torch
import torch.nn as nn
import torch.nn.functional as F


class AutoencoderBase(nn.Module, ABC):
    def __init__(self, d_in, d_lat, width=32):
        super().__init__()
        self.d_lat = d_lat
        self.trunk = nn.Sequential(nn.Linear(d_in, width), nn.ReLU())
        self.to_lat = nn.Linear(width, self.lat_outputs())
        self.dec = nn.Sequential(nn.Linear(d_lat, width), nn.ReLU(), nn.Linear(width, d_in))

    def lat_outputs(self):
        return self.d_lat

    def bottleneck(self, h):
        return self.to_lat(h)

    def squash(self, code):
        return torch.sigmoid(code)

    def postprocess(self, code):
        """Hook for subclasses, applied on the squashed code."""
        return code

    @abstractmethod
    def penalty(self, code):
        ...

    def forward(self, x):
        code = self.postprocess(self.squash(self.bottleneck(self.trunk(x))))
        return self.dec(code), self.penalty(code)


class SparseAE(AutoencoderBase):
    def __init__(self, *args, rho=0.05, **kw):
        super().__init__(*args, **kw)
        self.rho = rho

    def penalty(self, code):
        q = code.mean(0).clamp(1e-4, 1 - 1e-4)
        return (self.rho * (self.rho / q).log() + (1 - self.rho) * ((1 - self.rho) / (1 - q)).log()).sum()


class KSparseAE(AutoencoderBase):
    def __init__(self, *args, k=3, **kw):
        super().__init__(*args, **kw)
        self.k = k

    def postprocess(self, code):
        thr = code.detach().topk(self.k, dim=-1).values[..., -1:]
        return code.masked_fill_(code < thr, 0.0)  # BUG

    def penalty(self, code):
        return code.new_zeros(())


class LinearKSparseAE(KSparseAE):
    """Without a squashing function; contributions below the k-th code are dropped."""

    def squash(self, code):
        return code

    def postprocess(self, code):
        drop = code < code.detach().topk(self.k, dim=-1).values[..., -1:]
        return torch.where(drop, torch.zeros_like(code), code)


MODELS = {c.__name__: c for c in (SparseAE, LinearKSparseAE, KSparseAE)}


def train(name, data, steps=3, weight=1e-2, **kw):
    model = MODELS[name](data.size(1), 8, **kw)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        recon, pen = model(data)
        loss = F.mse_loss(recon, data) + weight * pen
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"{name:16s} {loss.item():.4f}")


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.rand(16, 12)
    train("SparseAE", x, rho=0.1)
    train("LinearKSparseAE", x, k=2)
    train("KSparseAE", x, k=2)
