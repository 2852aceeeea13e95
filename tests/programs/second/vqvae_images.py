"""VQ-VAE with straight-through estimator, EMA codebook and dead code revival."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    def __init__(self, n, dim, decay=0.9, eps=1e-5):
        super().__init__()
        self.n, self.dim, self.decay, self.eps = n, dim, decay, eps
        self.register_buffer("codebook", torch.randn(n, dim))
        self.register_buffer("counts", torch.zeros(n))
        self.register_buffer("sums", torch.zeros(n, dim))
        self._pending = None

    def forward(self, z):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        with torch.no_grad():
            d = torch.cdist(flat, self.codebook)
            idx = d.argmin(1)
            if self.training:
                self._pending = (flat.detach().clone(), idx)
        q = self.codebook[idx].view(b, h, w, c).permute(0, 3, 1, 2)
        commit = F.mse_loss(z, q)
        z_q = z + (q - z).detach()
        return z_q, commit, idx.view(b, h, w)

    @torch.no_grad()
    def apply_ema(self):
        if self._pending is None:
            return
        flat, idx = self._pending
        counts = torch.zeros_like(self.counts).index_add_(0, idx, torch.ones(idx.numel()))
        sums = torch.zeros_like(self.sums).index_add_(0, idx, flat)
        self.counts.mul_(self.decay).add_(counts, alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(sums, alpha=1 - self.decay)
        used = self.counts > self.eps
        self.codebook[used] = self.sums[used] / self.counts[used, None]
        self._pending = None

    @torch.no_grad()
    def revive(self, flat, threshold=1e-3):
        dead = (self.counts < threshold).nonzero().flatten()
        if dead.numel():
            pick = torch.randint(0, flat.size(0), (dead.numel(),))
            self.codebook[dead] = flat[pick]
        return dead.numel()


class ResBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.body = nn.Sequential(
            nn.ReLU(), nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(ch, ch, 1)
        )

    def forward(self, x):
        out = self.body(x)
        out += x
        return out


class VQVAE(nn.Module):
    def __init__(self, ch=8, codes=12):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(3, ch, 4, 2, 1), ResBlock(ch), nn.Conv2d(ch, ch, 1))
        self.vq = VectorQuantizerEMA(codes, ch)
        self.dec = nn.Sequential(nn.Conv2d(ch, ch, 3, padding=1), ResBlock(ch), nn.ConvTranspose2d(ch, 3, 4, 2, 1))

    def forward(self, x):
        z_q, commit, idx = self.vq(self.enc(x))
        return self.dec(z_q), commit, idx


class Trainer:
    def __init__(self, model, lr=1e-3, beta=0.25):
        self.model, self.beta = model, beta
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, x):
        recon, commit, idx = self.model(x)
        loss = F.mse_loss(recon, x) + self.beta * commit
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        flat = self.model.vq._pending[0]
        self.model.vq.apply_ema()
        self.model.vq.revive(flat)
        return loss.item()


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(VQVAE())
for _ in range(2):
    trainer.step(torch.rand(2, 3, 8, 8))
