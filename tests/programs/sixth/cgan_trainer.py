import torch
import torch.nn as nn
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, z_dim, n_cls, out_dim):
        super().__init__()
        self.z_dim = z_dim
        self.label = nn.Embedding(n_cls, z_dim)
        self.body = nn.Sequential(
            nn.Linear(z_dim, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, out_dim), nn.Tanh()
        )

    def forward(self, z, y):
        return self.body(z * self.label(y))


class Discriminator(nn.Module):
    def __init__(self, n_cls, in_dim):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(in_dim, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 16))
        self.proj = nn.Embedding(n_cls, 16)
        self.score = nn.Linear(16, 1)

    def forward(self, x, y):
        h = F.relu(self.feat(x))
        return self.score(h).squeeze(1) + (h * self.proj(y)).sum(1)


class Meter:
    def __init__(self, momentum=0.9):
        self.momentum = momentum
        self.value = torch.zeros(2)

    def update(self, *losses):
        new = torch.stack([l.detach() for l in losses])
        self.value.mul_(self.momentum).add_(new, alpha=1 - self.momentum)


class CGANTrainer:
    def __init__(self, G, D, cfg):
        self.G, self.D = G, D
        self.opt_g = torch.optim.Adam(G.parameters(), lr=cfg["lr_g"], betas=cfg["betas"])
        self.opt_d = torch.optim.Adam(D.parameters(), lr=cfg["lr_d"], betas=cfg["betas"])
        self.meter = Meter()

    def set_requires_grad(self, net, flag):
        for p in net.parameters():
            p.requires_grad_(flag)

    def d_loss(self, real, fake, y):
        real_score = self.D(real, y)
        fake_score = self.D(fake.detach(), y)
        return F.relu(1.0 - real_score).mean() + F.relu(1.0 + fake_score).mean()

    def g_loss(self, fake, y):
        return -self.D(fake, y).mean()

    def step(self, real, y):
        z = torch.randn(real.size(0), self.G.z_dim)
        fake = self.G(z, y)

        loss_d = self.d_loss(real, fake, y)
        loss_g = self.g_loss(fake, y)

        self.opt_d.zero_grad()
        loss_d.backward()
        self.opt_d.step()  # BUG

        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()

        self.meter.update(loss_d, loss_g)
        return loss_d.item(), loss_g.item()

    def fit(self, loader):
        history = []
        for real, y in loader:
            history.append(self.step(real, y))
        return history


# --- driver ---
torch.manual_seed(0)
G, D = Generator(4, 3, 6), Discriminator(3, 6)
trainer = CGANTrainer(G, D, {"lr_g": 1e-3, "lr_d": 1e-3, "betas": (0.5, 0.99)})
trainer.fit([(torch.randn(4, 6), torch.randint(0, 3, (4,)))])
