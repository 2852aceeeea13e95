"""Hinge GAN whose discriminator uses a hand-written spectral norm wrapper."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralWrap(nn.Module):
    """Divides the weight of a conv or linear layer by its largest singular value."""

    def __init__(self, layer, n_power=1, eps=1e-12):
        super().__init__()
        self.layer, self.n_power, self.eps = layer, n_power, eps
        w = layer.weight.detach().flatten(1)
        self.register_buffer("u", F.normalize(torch.randn(w.size(0)), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(w.size(1)), dim=0))
        for _ in range(4):
            self._power(w)

    @torch.no_grad()
    def _power(self, w):
        for _ in range(self.n_power):
            torch.mv(w.t(), self.u, out=self.v)
            self.v /= self.v.norm() + self.eps
            torch.mv(w, self.v, out=self.u)
            self.u /= self.u.norm() + self.eps

    def normalised(self):
        w = self.layer.weight.flatten(1)
        if self.training:
            self._power(w.detach())
        u, v = self.u.clone(), self.v.clone()
        return self.layer.weight / torch.dot(u, torch.mv(w, v))

    def forward(self, x):
        w, b = self.normalised(), self.layer.bias
        if isinstance(self.layer, nn.Linear):
            return F.linear(x, w, b)
        return F.conv2d(x, w, b, self.layer.stride, self.layer.padding)


class DiscBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = SpectralWrap(nn.Conv2d(cin, cout, 3, padding=1))
        self.skip = SpectralWrap(nn.Conv2d(cin, cout, 1))

    def forward(self, x):
        h = F.avg_pool2d(F.leaky_relu(self.conv(x), 0.1, inplace=True), 2)
        s = self.skip(F.avg_pool2d(x, 2))
        s += h
        return s


class Discriminator(nn.Module):
    def __init__(self, widths=(8, 16)):
        super().__init__()
        chans = (3, *widths)
        self.blocks = nn.Sequential(*(DiscBlock(a, b) for a, b in zip(chans, chans[1:])))
        self.fc = SpectralWrap(nn.Linear(widths[-1], 1))

    def forward(self, x):
        return self.fc(self.blocks(x).sum((2, 3))).squeeze(1)


class Generator(nn.Module):
    def __init__(self, z=8, width=16):
        super().__init__()
        self.z = z
        self.fc = nn.Linear(z, width * 4)
        self.up = nn.Sequential(
            nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.ConvTranspose2d(width, width, 4, 2, 1),
            nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh(),
        )

    def forward(self, z):
        return self.up(self.fc(z).unflatten(1, (-1, 2, 2)))


def hinge_d(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def step(g, d, og, od, real):
    z = torch.randn(len(real), g.z)
    fake = g(z)
    loss_d = hinge_d(d(real), d(fake.detach()))
    od.zero_grad()
    loss_d.backward()
    od.step()
    loss_g = -d(fake).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    return loss_d.item(), loss_g.item()


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    g, d = Generator(), Discriminator()
    og = torch.optim.Adam(g.parameters(), 1e-4, betas=(0.0, 0.9))
    od = torch.optim.Adam(d.parameters(), 4e-4, betas=(0.0, 0.9))
    for i in range(3):
        print(i, step(g, d, og, od, torch.rand(4, 3, 8, 8) * 2 - 1))


if __name__ == "__main__":
    main()
