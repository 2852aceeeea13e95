import torch
import torch.nn as nn
import torch.nn.functional as F


class EMACodebook(nn.Module):
    """Vector quantiser whose codes track the encoder by exponential averages (no codebook loss)."""

    def __init__(self, codes, dim, decay=0.95, commitment=0.25, revive_below=0.02):
        super().__init__()
        self.decay, self.commitment, self.revive_below = decay, commitment, revive_below
        codebook = torch.randn(codes, dim)
        self.register_buffer("codebook", codebook)
        self.register_buffer("counts", torch.ones(codes))
        self.register_buffer("sums", codebook.clone())

    @torch.no_grad()
    def assign(self, flat):
        d = flat.square().sum(1, keepdim=True) - 2 * flat @ self.codebook.t() + self.codebook.square().sum(1)
        return d.argmin(1)

    @torch.no_grad()
    def track(self, flat, codes):
        onehot = F.one_hot(codes, self.codebook.size(0)).to(flat.dtype)
        self.counts.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        self.codebook.copy_(self.sums / self.counts.clamp_min(1e-5).unsqueeze(1))
        dead = self.counts < self.revive_below
        if dead.any():
            donors = flat[torch.randint(flat.size(0), (int(dead.sum()),))]
            self.codebook[dead] = donors
            self.sums[dead] = donors
            self.counts[dead] = 1.0

    def forward(self, z):
        flat = z.movedim(1, -1).reshape(-1, z.size(1))
        codes = self.assign(flat)
        quant = F.embedding(codes, self.codebook).view(z.size(0), *z.shape[2:], z.size(1)).movedim(-1, 1)
        commit = self.commitment * F.mse_loss(z, quant)
        if self.training:
            self.track(flat.detach(), codes)
        return z + (quant - z).detach(), commit, codes


class VQVAE(nn.Module):
    def __init__(self, channels=1, width=8, dim=4, codes=12):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(channels, width, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(width, dim, 3, 1, 1))
        self.quantiser = EMACodebook(codes, dim)
        self.decoder = nn.Sequential(
            nn.Conv2d(dim, width, 3, 1, 1), nn.ReLU(inplace=True), nn.ConvTranspose2d(width, channels, 4, 2, 1))

    def forward(self, x):
        q, commit, codes = self.quantiser(self.encoder(x))
        return self.decoder(q), commit, codes


def perplexity(codes, size):
    p = torch.bincount(codes, minlength=size).float()
    p /= p.sum()
    return torch.exp(-(p * (p + 1e-10).log()).sum()).item()


def train(model, images, steps, batch, lr=2e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        x = images[torch.randint(images.size(0), (batch,))]
        recon, commit, codes = model(x)
        loss = F.mse_loss(recon, x) + commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item(), perplexity(codes, model.quantiser.counts.numel())


# --- driver ---
torch.manual_seed(7)
vqvae = VQVAE()
for row in train(vqvae, torch.rand(20, 1, 8, 8), steps=4, batch=6):
    print(row)
