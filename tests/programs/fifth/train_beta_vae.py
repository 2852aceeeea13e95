"""Beta-VAE with free bits and KL annealing."""
import torch
import torch.nn as nn
import torch.nn.functional as F

IMG = 8
ZDIM = 4
BETA_MAX = 4.0
FREE_BITS = 0.1
WARMUP = 10


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(inplace=True),
            nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(inplace=True), nn.Flatten(),
            nn.Linear(16 * 4, 2 * ZDIM))

    def forward(self, x):
        h = self.net(x)
        h *= 0.5
        return h.split(ZDIM, dim=1)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(ZDIM, 16 * 4)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(8, 1, 4, 2, 1))
        self.bias = nn.Parameter(torch.zeros(1, IMG, IMG))

    def forward(self, z):
        h = F.relu_(self.fc(z)).view(-1, 16, 2, 2)
        out = self.up(h)
        out += self.bias
        return out.sigmoid_()


class BetaVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = Encoder(), Decoder()

    def forward(self, x):
        mu, logvar = self.enc(x)
        eps = torch.randn_like(mu)
        z = eps.mul_(torch.exp(0.5 * logvar)).add_(mu)
        return self.dec(z), mu, logvar


def elbo(rec, x, mu, logvar, beta):
    rec_term = F.binary_cross_entropy(rec, x, reduction='none').flatten(1).sum(1)
    kl = logvar.exp()
    kl = kl + mu.pow(2)
    kl -= logvar
    kl -= 1
    kl = (0.5 * kl).mean(0).clamp_(min=FREE_BITS).sum()
    return rec_term.mean() + beta * kl


def batch(n):
    x = torch.zeros(n, 1, IMG, IMG)
    for i in range(n):
        r, c = torch.randint(0, IMG - 3, (2,)).tolist()
        x[i, 0, r:r + 3, c:c + 3] = 1.0
    return x.mul_(0.9).add_(0.05)


def train(steps, n=4):
    model = BetaVAE()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        beta = BETA_MAX * min(1.0, step / WARMUP)
        x = batch(n)
        rec, mu, logvar = model(x)
        loss = elbo(rec, x, mu, logvar, beta + 0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


# --- driver ---
torch.manual_seed(0)
train(2)
