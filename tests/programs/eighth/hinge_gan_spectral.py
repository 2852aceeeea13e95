import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import spectral_norm


class CondBN(nn.Module):
    def __init__(self, ch, classes):
        super().__init__()
        self.bn = nn.BatchNorm2d(ch, affine=False)
        self.embed = nn.Embedding(classes, 2 * ch)
        self.embed.weight.data[:, :ch].fill_(1.0)
        self.embed.weight.data[:, ch:].zero_()

    def forward(self, x, y):
        gamma, beta = self.embed(y)[..., None, None].chunk(2, 1)
        out = self.bn(x) * gamma
        out += beta
        return out


class GenBlock(nn.Module):
    def __init__(self, cin, cout, classes):
        super().__init__()
        self.bn1, self.bn2 = CondBN(cin, classes), CondBN(cout, classes)
        self.c1, self.c2 = nn.Conv2d(cin, cout, 3, 1, 1), nn.Conv2d(cout, cout, 3, 1, 1)
        self.cs = nn.Conv2d(cin, cout, 1)

    def forward(self, x, y):
        h = F.relu(self.bn1(x, y), inplace=True)
        h = self.c1(F.interpolate(h, scale_factor=2))
        h = self.c2(F.relu_(self.bn2(h, y)))
        h += self.cs(F.interpolate(x, scale_factor=2))
        return h


class Generator(nn.Module):
    def __init__(self, nz=6, ch=8, classes=3):
        super().__init__()
        self.nz, self.ch = nz, ch
        self.fc = nn.Linear(nz, ch * 16)
        self.block = GenBlock(ch, ch, classes)
        self.out = nn.Conv2d(ch, 3, 3, 1, 1)

    def forward(self, z, y):
        h = self.fc(z).view(-1, self.ch, 4, 4)
        return self.out(F.relu(self.block(h, y))).tanh_()


class ProjDiscriminator(nn.Module):
    def __init__(self, ch=8, classes=3):
        super().__init__()
        sn = spectral_norm
        self.body = nn.Sequential(
            sn(nn.Conv2d(3, ch, 3, 2, 1)), nn.LeakyReLU(0.1, True), sn(nn.Conv2d(ch, ch, 3, 2, 1)), nn.LeakyReLU(0.1, True))
        self.lin = sn(nn.Linear(ch, 1))
        self.embed = nn.Embedding(classes, ch)

    def forward(self, x, y):
        h = self.body(x).sum((2, 3))
        score = self.lin(h).squeeze(1)
        score += (self.embed(y) * h).sum(1)
        return score


class HingeGAN:
    def __init__(self, classes=3, d_steps=1):
        self.G, self.D = Generator(classes=classes), ProjDiscriminator(classes=classes)
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=1e-4, betas=(0.0, 0.9))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=4e-4, betas=(0.0, 0.9))
        self.classes, self.d_steps = classes, d_steps
        self.z = torch.empty(0)

    def latent(self, n):
        if self.z.size(0) != n:
            self.z = torch.empty(n, self.G.nz)
        return self.z.normal_().clone(), torch.empty(n, dtype=torch.long).random_(self.classes)

    def update(self, real, label):
        real.add_(torch.rand_like(real), alpha=1 / 128)
        for _ in range(self.d_steps):
            z, y = self.latent(real.size(0))
            fake = self.G(z, y).detach()
            loss_d = F.relu(1 - self.D(real, label)).mean() + F.relu(1 + self.D(fake, y)).mean()
            self.opt_d.zero_grad()
            loss_d.backward()
            self.opt_d.step()
        z, y = self.latent(real.size(0))
        loss_g = -self.D(self.G(z, y), y).mean()
        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()
        return loss_d.item(), loss_g.item()


def to_uint8(img):
    return img.detach().add(1).mul_(127.5).clamp_(0, 255).byte()


# --- driver ---
torch.manual_seed(0)
gan = HingeGAN()
for _ in range(2):
    gan.update(torch.rand(3, 3, 8, 8) * 2 - 1, torch.randint(0, 3, (3,)))
