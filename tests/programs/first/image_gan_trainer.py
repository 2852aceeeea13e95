"""Small DCGAN with a trainer class and a history callback."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


class Generator(nn.Module):
    def __init__(self, z_dim=8, base=8):
        super().__init__()
        self.z_dim = z_dim
        self.net = nn.Sequential(
            nn.ConvTranspose2d(z_dim, base * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(base * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(base * 2, base, 4, 2, 1, bias=False),
            nn.BatchNorm2d(base),
            nn.ReLU(True),
            nn.ConvTranspose2d(base, 3, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.net(z.view(z.size(0), -1, 1, 1))


class Discriminator(nn.Module):
    def __init__(self, base=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, base, 4, 2, 1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(base, base * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(base * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(base * 2, 1, 4),
        )

    def forward(self, x):
        return self.net(x).flatten(1)


class History:
    def __init__(self):
        self.rows = []

    def on_step(self, logs):
        self.rows.append(dict(logs))


class GANTrainer:
    def __init__(self, gen, disc, lr=2e-4, callbacks=()):
        self.gen, self.disc = gen, disc
        self.opt_g = torch.optim.Adam(gen.parameters(), lr=lr, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(disc.parameters(), lr=lr, betas=(0.5, 0.999))
        self.callbacks = list(callbacks)

    def bce(self, logits, target):
        return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))

    def step(self, real):
        z = torch.randn(real.size(0), self.gen.z_dim)
        fake = self.gen(z)

        d_real = self.disc(real)
        d_fake = self.disc(fake.detach())
        loss_d = self.bce(d_real, 0.9) + self.bce(d_fake, 0.0)
        loss_g = self.bce(self.disc(fake), 1.0)

        self.opt_d.zero_grad()
        loss_d.backward()
        self.opt_d.step()  # BUG

        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()

        logs = {'loss_d': loss_d.item(), 'loss_g': loss_g.item()}
        for cb in self.callbacks:
            cb.on_step(logs)
        return logs

    def fit(self, loader, epochs=1):
        for _ in range(epochs):
            for real in loader:
                self.step(real)


# --- driver ---
hist = History()
g, d = Generator(), Discriminator()
g.apply(weights_init)
d.apply(weights_init)
GANTrainer(g, d, callbacks=[hist]).fit([torch.rand(4, 3, 16, 16) * 2 - 1 for _ in range(2)])
print(hist.rows)
