from typing import NamedTuple

import torch
from torch import nn
import torch.nn.functional as F


class VQOutput(NamedTuple):
    quantized: torch.Tensor
    codes: torch.Tensor
    commitment: torch.Tensor
    perplexity: torch.Tensor


class EMACodebook(nn.Module):
    def __init__(self, n_codes, dim, decay=0.9, eps=1e-5, revive_below=0.05):
        super().__init__()
        self.decay, self.eps, self.revive_below = decay, eps, revive_below
        w = torch.empty(n_codes, dim).uniform_(-1, 1).div_(n_codes ** 0.5)
        self.register_buffer("codebook", w)
        self.register_buffer("usage", torch.ones(n_codes))
        self.register_buffer("accum", w.clone())

    def nearest(self, flat):
        d = flat.pow(2).sum(1, keepdim=True)
        d = d - 2 * flat @ self.codebook.t()
        d += self.codebook.pow(2).sum(1)
        return d.argmin(1)

    @torch.no_grad()
    def _ema(self, flat, codes):
        onehot = torch.zeros(flat.size(0), self.usage.numel()).scatter_(1, codes[:, None], 1)
        self.usage.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.accum.mul_(self.decay).addmm_(onehot.t(), flat, alpha=1 - self.decay)
        n = self.usage.sum()
        size = (self.usage + self.eps).div_(n + self.usage.numel() * self.eps).mul_(n)
        self.codebook.copy_(self.accum / size[:, None])
        dead = self.usage < self.revive_below
        if dead.any():
            pick = flat[torch.randint(flat.size(0), (int(dead.sum()),))]
            self.codebook[dead] = pick
            self.accum[dead] = pick
            self.usage[dead] = 1.0
        return onehot.mean(0)

    def forward(self, z):
        flat = z.permute(0, 2, 3, 1).reshape(-1, z.size(1))
        with torch.no_grad():
            codes = self.nearest(flat)
        q = F.embedding(codes, self.codebook)
        share = self._ema(flat.detach(), codes) if self.training else torch.ones(1)
        q = q.view(z.size(0), z.size(2), z.size(3), -1).permute(0, 3, 1, 2)
        commit = F.mse_loss(z, q)
        ppl = torch.exp(-(share * share.clamp(min=1e-9).log()).sum())
        return VQOutput(z + (q - z).detach(), codes, commit, ppl)


class ResLayer(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.a, self.b = nn.Conv2d(ch, ch, 3, 1, 1), nn.Conv2d(ch, ch, 1)

    def forward(self, x):
        h = self.b(F.relu_(self.a(F.relu(x))))
        h += x
        return h


class VQVAE(nn.Module):
    def __init__(self, ch=8, dim=4, codes=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, ch, 4, 2, 1), nn.ReLU(True), ResLayer(ch), nn.Conv2d(ch, dim, 1))
        self.vq = EMACodebook(codes, dim)
        self.dec = nn.Sequential(nn.Conv2d(dim, ch, 3, 1, 1), ResLayer(ch), nn.ReLU(True), nn.ConvTranspose2d(ch, 1, 4, 2, 1))

    def forward(self, x):
        out = self.vq(self.enc(x))
        return self.dec(out.quantized), out

    def loss(self, x, beta=0.25):
        recon, out = self(x)
        return F.mse_loss(recon, x) + beta * out.commitment, out


def stripes(n, size=8):
    x = torch.zeros(n, 1, size, size)
    for i, k in enumerate(torch.randint(2, 4, (n,)).tolist()):
        x[i, :, ::k] = 1.0
    return x.add_(torch.randn_like(x), alpha=0.05)


def train(model, steps, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    hist = torch.zeros(model.vq.usage.numel())
    for _ in range(steps):
        loss, out = model.loss(stripes(4))
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist += torch.bincount(out.codes, minlength=hist.numel())
    return hist.div_(hist.sum())


# --- driver ---
torch.manual_seed(0)
train(VQVAE(), steps=2)
