import torch
from torch import nn


class Block(nn.Sequential):
    def __init__(self, cin, cout, up):
        conv = nn.ConvTranspose2d(cin, cout, 4, 2, 1) if up else nn.Conv2d(cin, cout, 4, 2, 1)
        super().__init__(conv, nn.BatchNorm2d(cout) if up else nn.Identity(), nn.LeakyReLU(0.2, inplace=True))


class Generator(nn.Module):
    def __init__(self, z=8, ch=8):
        super().__init__()
        self.z, self.ch = z, ch
        self.fc = nn.Linear(z, ch * 4)
        self.body = nn.Sequential(Block(ch, ch, True), nn.ConvTranspose2d(ch, 3, 4, 2, 1), nn.Tanh())

    def forward(self, n):
        z = torch.empty(n, self.z).normal_()
        return self.body(self.fc(z).view(n, self.ch, 2, 2))


class Critic(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.body = nn.Sequential(Block(3, ch, False), Block(ch, ch, False), nn.Flatten(), nn.Linear(ch * 4, 1))

    def forward(self, x):
        return self.body(x)


class Meter:
    def __init__(self, decay=0.9):
        self.decay, self.value = decay, None

    def add(self, v):
        v = float(v)
        self.value = v if self.value is None else self.decay * self.value + (1 - self.decay) * v


class LSGAN:
    def __init__(self, lr=2e-4, **kw):
        self.G, self.D = Generator(**kw), Critic()
        betas = (0.5, 0.999)
        self.opt = {"g": torch.optim.Adam(self.G.parameters(), lr, betas), "d": torch.optim.Adam(self.D.parameters(), lr, betas)}
        self.meters = {"g": Meter(), "d": Meter()}

    def objective(self, real, fake):
        d_fake = self.D(fake)
        d_loss = 0.5 * ((self.D(real) - 1).pow(2).mean() + self.D(fake.detach()).pow(2).mean())
        g_loss = 0.5 * (d_fake - 1).pow(2).mean()
        return d_loss, g_loss

    def _apply(self, key, loss, retain=False):
        opt = self.opt[key]
        opt.zero_grad()
        loss.backward(retain_graph=retain)
        opt.step()  # BUG
        self.meters[key].add(loss.detach())

    def train_step(self, real):
        fake = self.G(real.size(0))
        d_loss, g_loss = self.objective(real, fake)
        self._apply("d", d_loss, retain=True)
        self._apply("g", g_loss)
        return {k: m.value for k, m in self.meters.items()}


@torch.no_grad()
def sample_grid(gan, rows, cols, size=8):
    canvas = torch.zeros(3, rows * size, cols * size)
    images = gan.G(rows * cols)
    for k, img in enumerate(images):
        r, c = divmod(k, cols)
        canvas[:, r * size:(r + 1) * size, c * size:(c + 1) * size] = img
    return canvas.add_(1).div_(2)


# --- driver ---
torch.manual_seed(0)
gan = LSGAN()
gan.train_step(torch.rand(4, 3, 8, 8) * 2 - 1)
sample_grid(gan, 2, 2)
