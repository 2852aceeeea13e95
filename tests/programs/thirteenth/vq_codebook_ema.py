"""VQ-VAE whose codebook moves by an exponential moving average."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EMACodebook(nn.Module):
    def __init__(self, n_codes: int, dim: int, decay: float = 0.95, eps: float = 1e-5):
        super().__init__()
        self.decay, self.eps = decay, eps
        w = torch.randn(n_codes, dim)
        self.register_buffer("weight", w)
        self.register_buffer("cluster_size", torch.ones(n_codes))
        self.register_buffer("embed_sum", w.clone())

    @torch.no_grad()
    def assign(self, flat):
        d = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.weight.t() + self.weight.pow(2).sum(1)
        return d.argmin(1)

    @torch.no_grad()
    def move(self, flat, idx):
        onehot = F.one_hot(idx, len(self.weight)).to(flat.dtype)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_sum.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        total = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (total + len(self.weight) * self.eps) * total
        self.weight.copy_(self.embed_sum / size[:, None])

    def forward(self, z):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        idx = self.assign(flat)
        q = F.embedding(idx, self.weight).view(b, h, w, c).permute(0, 3, 1, 2)
        commit = F.mse_loss(z, q)
        if self.training:
            self.move(flat, idx)
        return z + (q - z).detach(), commit, idx


class VQVAE(nn.Module):
    def __init__(self, dim=8, n_codes=24, beta=0.25):
        super().__init__()
        self.beta = beta
        self.enc = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, dim, 3, 1, 1))
        self.vq = EMACodebook(n_codes, dim)
        self.dec = nn.Sequential(nn.Conv2d(dim, 16, 3, 1, 1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, 2, 1))

    def forward(self, x):
        q, commit, idx = self.vq(self.enc(x))
        rec = self.dec(q)
        loss = F.mse_loss(rec, x) + self.beta * commit
        return loss, self.perplexity(idx)

    def perplexity(self, idx):
        p = torch.bincount(idx, minlength=len(self.vq.weight)).float()
        p /= p.sum()
        return torch.exp(-(p * (p + 1e-9).log()).sum())


# --- driver ---
torch.manual_seed(5)
vae = VQVAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
for i in range(4):
    loss, ppl = vae(torch.rand(4, 1, 12, 12))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item(), ppl.item())
