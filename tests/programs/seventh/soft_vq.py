from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class VQConfig:
    in_ch: int = 1
    hidden: int = 8
    codes: int = 12
    dim: int = 4
    decay: float = 0.9
    beta: float = 0.25
    entropy_weight: float = 0.1


class EMACodebook(nn.Module):
    def __init__(self, cfg: VQConfig):
        super().__init__()
        self.cfg = cfg
        self.register_buffer("codebook", torch.randn(cfg.codes, cfg.dim))
        self.register_buffer("count", torch.ones(cfg.codes))
        self.register_buffer("total", self.codebook.clone())

    def distances(self, flat):
        return flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codebook.t() + self.codebook.pow(2).sum(1)

    @torch.no_grad()
    def _ema(self, flat, idx):
        onehot = F.one_hot(idx, self.cfg.codes).to(flat)
        self.count.mul_(self.cfg.decay).add_(onehot.sum(0), alpha=1 - self.cfg.decay)
        self.total.mul_(self.cfg.decay).add_(onehot.t() @ flat, alpha=1 - self.cfg.decay)
        n = self.count.sum()
        smoothed = (self.count + 1e-5) / (n + self.cfg.codes * 1e-5) * n
        self.codebook.copy_(self.total / smoothed[:, None])  # BUG

    def forward(self, z):
        flat = z.permute(0, 2, 3, 1).reshape(-1, self.cfg.dim)
        dist = self.distances(flat)
        idx = dist.argmin(1)
        q = F.embedding(idx, self.codebook).view(z.size(0), *z.shape[2:], -1).permute(0, 3, 1, 2)
        if self.training:
            self._ema(flat, idx)
        p = F.softmax(-dist, dim=1)
        avg = p.mean(0)
        entropy = -(p * p.clamp_min(1e-8).log()).sum(1).mean() + (avg * avg.clamp_min(1e-8).log()).sum()
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), self.cfg.beta * commit + self.cfg.entropy_weight * entropy, idx


class VQAE(nn.Module):
    def __init__(self, cfg: VQConfig):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(cfg.in_ch, cfg.hidden, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(cfg.hidden, cfg.dim, 1)
        )
        self.vq = EMACodebook(cfg)
        self.dec = nn.Sequential(
            nn.Conv2d(cfg.dim, cfg.hidden, 3, 1, 1), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(cfg.hidden, cfg.in_ch, 4, 2, 1),
        )

    def forward(self, x):
        q, aux, _ = self.vq(self.enc(x))
        return self.dec(q), aux


def train_step(model, opt, x):
    opt.zero_grad(set_to_none=True)
    recon, aux = model(x)
    loss = F.mse_loss(recon, x) + aux
    loss.backward()
    opt.step()
    return {"loss": loss.item(), "aux": aux.item()}


# --- driver ---
torch.manual_seed(0)
model = VQAE(VQConfig())
train_step(model, torch.optim.Adam(model.parameters(), 1e-3), torch.rand(2, 1, 8, 8))
