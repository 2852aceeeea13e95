"""Sparse autoencoder on model activations with unit-norm decoder directions."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class SAEConfig:
    d_model: int = 16
    expansion: int = 4
    l1: float = 1e-3
    top_k: int = 0
    dead_after: int = 2


class SparseAutoencoder(nn.Module):
    def __init__(self, cfg: SAEConfig):
        super().__init__()
        n = cfg.d_model * cfg.expansion
        self.cfg = cfg
        self.w_enc = nn.Parameter(torch.randn(cfg.d_model, n) / cfg.d_model ** 0.5)
        self.w_dec = nn.Parameter(torch.randn(n, cfg.d_model))
        self.b_enc, self.b_dec = nn.Parameter(torch.zeros(n)), nn.Parameter(torch.zeros(cfg.d_model))
        self.register_buffer("idle", torch.zeros(n, dtype=torch.long))
        self.normalise_decoder()

    @torch.no_grad()
    def normalise_decoder(self):
        self.w_dec.div_(self.w_dec.norm(dim=1, keepdim=True))

    @torch.no_grad()
    def project_decoder_grad(self):
        """Remove the component of the gradient along each direction."""
        g = self.w_dec.grad
        along = (g * self.w_dec).sum(1, keepdim=True)
        g.sub_(along * self.w_dec)

    def encode(self, x):
        pre = (x - self.b_dec) @ self.w_enc
        pre += self.b_enc
        if self.cfg.top_k:
            floor = pre.detach().topk(self.cfg.top_k, dim=-1).values[..., -1:]
            pre.masked_fill_(pre < floor, 0.0)
        return F.relu(pre)

    def forward(self, x):
        code = self.encode(x)
        recon = code @ self.w_dec
        recon += self.b_dec
        with torch.no_grad():
            self.idle += 1
            self.idle[(code > 0).any(0)] = 0
        return recon, code

    @torch.no_grad()
    def revive(self, x, recon):
        dead = (self.idle > self.cfg.dead_after).nonzero().flatten()
        if not len(dead):
            return 0
        err = (x - recon).square().sum(1)
        pick = torch.multinomial(err / err.sum(), len(dead), replacement=True)
        direction = F.normalize(x[pick] - self.b_dec, dim=1)
        self.w_dec[dead] = direction
        self.w_enc[:, dead] = 0.2 * direction.t()
        self.b_enc[dead] = 0.0
        self.idle[dead] = 0
        return len(dead)


class ActivationSource:
    """Runs a frozen network and exposes one hidden layer."""

    def __init__(self, d_in, d_model):
        self.net = nn.Sequential(nn.Linear(d_in, d_model), nn.GELU(), nn.Linear(d_model, d_model)).requires_grad_(False)
        self.d_in = d_in
        self.captured = None
        self.net[1].register_forward_hook(self._grab)

    def _grab(self, module, args, out):
        self.captured = out

    def __call__(self, n):
        self.net(torch.randn(n, self.d_in))
        x = self.captured.clone()
        x -= x.mean(0)
        return x


def train(cfg, steps=4):
    sae, source = SparseAutoencoder(cfg), ActivationSource(8, cfg.d_model)
    opt = torch.optim.Adam(sae.parameters(), lr=1e-3, betas=(0.0, 0.999))
    for step in range(steps):
        x = source(32)
        recon, code = sae(x)
        loss = F.mse_loss(recon, x) + cfg.l1 * code.sum(1).mean()
        opt.zero_grad()
        loss.backward()
        sae.project_decoder_grad()
        opt.step()
        sae.normalise_decoder()
        print(step, f"{loss.item():.4f} revived {sae.revive(x, recon.detach())}")


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    train(SAEConfig())
    train(SAEConfig(top_k=4, l1=0.0))
