"""Hinge GAN whose critic uses hand-written spectral normalisation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralMixin:
    """Adds power iteration to a layer with a `weight`."""

    def init_spectral(self, iterations=1, eps=1e-8):
        mat = self.weight.detach().flatten(1)
        self.iterations, self.eps = iterations, eps
        self.register_buffer("u", F.normalize(torch.randn(mat.shape[0]), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(mat.shape[1]), dim=0))

    @torch.no_grad()
    def power_iterate(self):
        mat = self.weight.flatten(1)
        for _ in range(self.iterations):
            v = F.normalize(mat.T @ self.u, dim=0, eps=self.eps)
            u = F.normalize(mat @ v, dim=0, eps=self.eps)
        return u, v

    def spectral_weight(self):
        u, v = self.u, self.v
        if self.training:
            new_u, new_v = self.power_iterate()
            self.u = new_u
            v.copy_(new_v)  # BUG
            u = new_u
        sigma = torch.dot(u, self.weight.flatten(1) @ v)
        return self.weight / sigma


class SNLinear(SpectralMixin, nn.Linear):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.init_spectral()

    def forward(self, x):
        return F.linear(x, self.spectral_weight(), self.bias)


class SNConv(SpectralMixin, nn.Conv2d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.init_spectral(iterations=2)

    def forward(self, x):
        return F.conv2d(x, self.spectral_weight(), self.bias, self.stride, self.padding)


class Critic(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.convs = nn.ModuleList([SNConv(1, ch, 4, 2, 1), SNConv(ch, 2 * ch, 4, 2, 1)])
        self.score = SNLinear(2 * ch * 9, 1)

    def forward(self, img):
        for conv in self.convs:
            img = F.leaky_relu(conv(img), 0.2)
        return self.score(img.flatten(1))


def generator(zdim, ch=8):
    return nn.Sequential(
        nn.Linear(zdim, 2 * ch * 9), nn.ReLU(inplace=True), nn.Unflatten(1, (2 * ch, 3, 3)),
        nn.ConvTranspose2d(2 * ch, ch, 4, 2, 1), nn.ReLU(inplace=True),
        nn.ConvTranspose2d(ch, 1, 4, 2, 1), nn.Tanh(),
    )


class HingeGAN:
    def __init__(self, zdim=8):
        self.zdim = zdim
        self.G, self.D = generator(zdim), Critic()
        self.opt_g = torch.optim.Adam(self.G.parameters(), 1e-4, betas=(0.0, 0.9))
        self.opt_d = torch.optim.Adam(self.D.parameters(), 4e-4, betas=(0.0, 0.9))

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.G(torch.randn(len(real), self.zdim))
        loss = F.relu(1 - self.D(real)).mean() + F.relu(1 + self.D(fake)).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()

    def generator_step(self, n):
        loss = -self.D(self.G(torch.randn(n, self.zdim))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()


# --- driver ---
torch.manual_seed(6)
gan = HingeGAN()
for _ in range(2):
    gan.critic_step(torch.rand(6, 1, 12, 12) * 2 - 1)
    gan.generator_step(6)
