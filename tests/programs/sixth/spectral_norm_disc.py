import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralMixin:
    n_power_iterations = 1

    def _register_uv(self):
        w = self.weight.flatten(1)
        self.register_buffer("u", F.normalize(torch.randn(w.size(0)), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(w.size(1)), dim=0))

    def _power_iterate(self, w):
        with torch.no_grad():
            for _ in range(self.n_power_iterations):
                v = F.normalize(w.t() @ self.u, dim=0)
                u = F.normalize(w @ v, dim=0)
            self.v.copy_(v)
            self.u.copy_(u)  # BUG

    def normalized_weight(self):
        w = self.weight.flatten(1)
        if self.training:
            self._power_iterate(w)
        sigma = torch.dot(self.u, w @ self.v.clone())
        return self.weight / sigma


class SNConv2d(SpectralMixin, nn.Conv2d):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self._register_uv()

    def forward(self, x):
        return F.conv2d(x, self.normalized_weight(), self.bias, self.stride, self.padding)


class SNLinear(SpectralMixin, nn.Linear):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self._register_uv()

    def forward(self, x):
        return F.linear(x, self.normalized_weight(), self.bias)


class Critic(nn.Module):
    def __init__(self, ch=6):
        super().__init__()
        self.c1 = SNConv2d(3, ch, 3, stride=2, padding=1)
        self.c2 = SNConv2d(ch, ch, 3, stride=2, padding=1)
        self.fc = SNLinear(ch, 1)

    def forward(self, x):
        h = F.leaky_relu(self.c1(x), 0.1, inplace=True)
        h = F.leaky_relu(self.c2(h), 0.1, inplace=True)
        return self.fc(h.sum((2, 3)))


class Decoder(nn.Module):
    def __init__(self, nz, ch=6):
        super().__init__()
        self.fc = nn.Linear(nz, ch * 4)
        self.up = nn.Sequential(nn.ReLU(inplace=True), nn.ConvTranspose2d(ch, 3, 4, 4), nn.Tanh())
        self.ch = ch

    def forward(self, z):
        return self.up(self.fc(z).view(-1, self.ch, 2, 2))


def hinge_d(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def augment(x, shift=1):
    dx = torch.randint(-shift, shift + 1, (1,)).item()
    out = torch.zeros_like(x)
    out.copy_(torch.roll(x, dx, dims=-1))
    return out


def train_discriminator(D, G, real, opt, nz):
    with torch.no_grad():
        fake = G(torch.randn(real.size(0), nz))
    out_real = D(augment(real))
    out_fake = D(augment(fake))
    loss = hinge_d(out_real, out_fake)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
D, G = Critic().train(), Decoder(4)
opt = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.0, 0.9))
train_discriminator(D, G, torch.randn(2, 3, 8, 8), opt, 4)
