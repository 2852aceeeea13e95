import torch
from torch import nn
from torch.nn import functional as F


class GaussianLatent(nn.Module):
    """Linear posterior parameters and the reparameterised draw."""

    def __init__(self, width, latent):
        super().__init__()
        self.mean = nn.Linear(width, latent)
        self.logvar = nn.Linear(width, latent)

    def forward(self, h):
        mean, logvar = self.mean(h), self.logvar(h).clamp(-8, 8)
        return self.draw(mean, logvar), self.kl(mean, logvar)

    @staticmethod
    def draw(mean, logvar):
        std = torch.exp(0.5 * logvar)
        return std.mul_(torch.randn_like(std)).add_(mean)  # BUG

    @staticmethod
    def kl(mean, logvar):
        return 0.5 * (mean.square() + logvar.exp() - 1 - logvar).sum(1)


class ConvVAE(nn.Module):
    def __init__(self, side=8, width=8, latent=4):
        super().__init__()
        flat = 2 * width * (side // 4) ** 2
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 4, 2, 1), nn.ReLU(inplace=True),
            nn.Conv2d(width, 2 * width, 4, 2, 1), nn.ReLU(inplace=True), nn.Flatten())
        self.latent = GaussianLatent(flat, latent)
        self.lift = nn.Linear(latent, flat)
        self.decoder = nn.Sequential(
            nn.Unflatten(1, (2 * width, side // 4, side // 4)), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(width, 1, 4, 2, 1))

    def forward(self, x):
        z, kl = self.latent(self.encoder(x))
        return self.decoder(self.lift(z)), kl

    @torch.no_grad()
    def sample(self, n):
        return torch.sigmoid(self.decoder(self.lift(torch.randn(n, self.lift.in_features))))


class CapacitySchedule:
    """Burgess et al.: the KL is pulled towards a capacity which grows linearly."""

    def __init__(self, top, steps):
        self.top, self.steps, self.t = top, steps, 0

    def advance(self):
        self.t += 1
        return self.top * min(1.0, self.t / self.steps)


def elbo(logits, x, kl, capacity, gamma):
    recon = F.binary_cross_entropy_with_logits(logits, x, reduction="none").flatten(1).sum(1)
    return (recon + gamma * (kl - capacity).abs()).mean(), recon.mean().item()


def squares(n, side=8):
    canvas = torch.zeros(n, 1, side, side)
    for image in canvas:
        s = int(torch.randint(2, 5, ()))
        r, c = torch.randint(0, side - s, (2,)).tolist()
        image[0, r: r + s, c: c + s] = 1.0
    return canvas


def fit(model, steps, batch=12, gamma=10.0):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    schedule = CapacitySchedule(5.0, steps)
    for _ in range(steps):
        x = squares(batch)
        logits, kl = model(x)
        loss, recon = elbo(logits, x, kl, schedule.advance(), gamma)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item(), recon


# --- driver ---
torch.manual_seed(8)
vae = ConvVAE()
for pair in fit(vae, 4):
    print(pair)
print(vae.sample(2).shape)
