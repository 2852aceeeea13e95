"""Autoencoder with a soft-assigned codebook tracked by exponential moving averages."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, dim, 4, 2, 1), nn.ReLU(inplace=True),
            nn.Conv1d(dim, dim, 4, 2, 1), nn.ReLU(inplace=True),
            nn.Conv1d(dim, dim, 1),
        )

    def forward(self, x):
        return self.body(x).transpose(1, 2)


class ConvDecoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(
            nn.ConvTranspose1d(dim, dim, 4, 2, 1), nn.ReLU(inplace=True),
            nn.ConvTranspose1d(dim, 1, 4, 2, 1),
        )

    def forward(self, z):
        return self.body(z.transpose(1, 2))


class SoftEMACodebook(nn.Module):
    def __init__(self, n_codes, dim, decay=0.95, temperature=1.0):
        super().__init__()
        self.decay, self.temperature = decay, temperature
        self.register_buffer('codes', torch.randn(n_codes, dim))
        self.register_buffer('counts', torch.ones(n_codes))

    def distances(self, flat):
        return (flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codes.t() + self.codes.pow(2).sum(1))

    @torch.no_grad()
    def ema_update(self, flat, assign):
        n = assign.sum(0)
        self.counts.mul_(self.decay).add_(n, alpha=1 - self.decay)
        centroid = assign.t() @ flat / n.clamp(min=1e-5).unsqueeze(1)
        self.codes.lerp_(centroid, 1 - self.decay)  # BUG

    def forward(self, z):
        b, t, d = z.shape
        flat = z.reshape(-1, d)
        assign = torch.softmax(-self.distances(flat) / self.temperature, dim=1)
        quant = (assign @ self.codes).view(b, t, d)
        if self.training:
            self.ema_update(flat.detach(), assign.detach())
        avg = assign.mean(0)
        perplexity = torch.exp(-(avg * (avg + 1e-10).log()).sum())
        return quant, perplexity


class SoftVQAE(nn.Module):
    def __init__(self, dim=12, n_codes=16, beta=0.25):
        super().__init__()
        self.encoder, self.decoder = ConvEncoder(dim), ConvDecoder(dim)
        self.codebook = SoftEMACodebook(n_codes, dim)
        self.beta = beta

    def forward(self, x):
        z = self.encoder(x)
        q, ppl = self.codebook(z)
        recon = self.decoder(q)
        losses = {
            'recon': F.mse_loss(recon, x),
            'commit': self.beta * F.mse_loss(z, q.detach()),
        }
        return recon, losses, ppl.detach()


def fit(model, loader, lr=2e-3, log_every=1):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    for i, x in enumerate(loader):
        _, losses, ppl = model(x)
        total = sum(losses.values())
        opt.zero_grad()
        total.backward()
        opt.step()
        if i % log_every == 0:
            print(i, {k: round(v.item(), 4) for k, v in losses.items()}, ppl.item())


@torch.no_grad()
def encode_indices(model, x):
    z = model.encoder(x)
    return model.codebook.distances(z.reshape(-1, z.size(-1))).argmin(1)


# --- driver ---
net = SoftVQAE()
fit(net, [torch.randn(4, 1, 32) for _ in range(2)])
print(encode_indices(net.eval(), torch.randn(1, 1, 32)))
