"""Class-conditional GAN; alternating updates with separate step objects."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CondGenerator(nn.Module):
    def __init__(self, z_dim=8, n_classes=4, base=8):
        super().__init__()
        self.z_dim, self.n_classes = z_dim, n_classes
        self.label = nn.Embedding(n_classes, z_dim)
        self.fc = nn.Linear(z_dim, base * 2 * 16)
        self.up = nn.Sequential(
            nn.BatchNorm2d(base * 2), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(base * 2, base, 4, 2, 1), nn.BatchNorm2d(base), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(base, 1, 4, 2, 1), nn.Tanh(),
        )

    def forward(self, z, y):
        h = self.fc(z * self.label(y))
        return self.up(h.view(z.size(0), -1, 4, 4))


class ProjectionDiscriminator(nn.Module):
    def __init__(self, n_classes=4, base=8):
        super().__init__()
        self.conv1 = nn.Conv2d(1, base, 4, 2, 1)
        self.conv2 = nn.Conv2d(base, base * 2, 4, 2, 1)
        self.lin = nn.Linear(base * 2, 1)
        self.proj = nn.Embedding(n_classes, base * 2)

    def forward(self, x, y):
        h = F.leaky_relu_(self.conv1(x), 0.1)
        h = F.leaky_relu_(self.conv2(h), 0.1).sum(dim=(2, 3))
        out = self.lin(h).squeeze(1)
        out += (self.proj(y) * h).sum(1)
        return out


class Step:
    def __init__(self, module, lr):
        self.opt = torch.optim.Adam(module.parameters(), lr=lr, betas=(0.0, 0.9))

    def __call__(self, *args):
        self.opt.zero_grad(set_to_none=True)
        loss = self.loss(*args)
        loss.backward()
        self.opt.step()
        return loss.item()


class DiscriminatorStep(Step):
    def __init__(self, G, D, lr=4e-4):
        super().__init__(D, lr)
        self.G, self.D = G, D

    def loss(self, real, y):
        with torch.no_grad():
            fake = self.G(torch.randn(real.size(0), self.G.z_dim), y)
        return F.relu(1 - self.D(real, y)).mean() + F.relu(1 + self.D(fake, y)).mean()


class GeneratorStep(Step):
    def __init__(self, G, D, lr=1e-4):
        super().__init__(G, lr)
        self.G, self.D = G, D

    def loss(self, n):
        y = torch.randint(0, self.G.n_classes, (n,))
        fake = self.G(torch.randn(n, self.G.z_dim), y)
        return -self.D(fake, y).mean()


class WeightAverage:
    def __init__(self, module, decay=0.995):
        self.decay = decay
        self.avg = {k: v.detach().clone() for k, v in module.state_dict().items()}

    def update(self, module):
        for k, v in module.state_dict().items():
            if v.is_floating_point():
                self.avg[k].lerp_(v, 1 - self.decay)
            else:
                self.avg[k].copy_(v)


def run(loader, steps_d=1):
    G, D = CondGenerator(), ProjectionDiscriminator()
    d_step, g_step, ema = DiscriminatorStep(G, D), GeneratorStep(G, D), WeightAverage(G)
    log = []
    for real, y in loader:
        real = real.mul(2).sub_(1)
        d = [d_step(real, y) for _ in range(steps_d)][-1]
        g = g_step(real.size(0))
        ema.update(G)
        log.append((d, g))
    return log


# --- driver ---
print(run([(torch.rand(4, 1, 16, 16), torch.randint(0, 4, (4,))) for _ in range(2)], steps_d=2))
