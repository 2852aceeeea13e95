# Wasserstein-style critic constrained by spectral normalisation with persistent power iteration.
import torch
from torch import nn
import torch.nn.functional as F


class SpectralMixin:
    """For layers with a `weight`; call `self.normalised_weight()` in forward."""

    n_power = 1

    def init_spectral(self):
        self.register_buffer("sn_u", F.normalize(torch.randn(self.weight.shape[0]), dim=0))

    @torch.no_grad()
    def power_iteration(self, matrix):
        u = self.sn_u
        for _ in range(self.n_power):
            v = F.normalize(matrix.t() @ u, dim=0)
            u = F.normalize(matrix @ v, dim=0)
        if self.training:
            self.sn_u.copy_(u)  # BUG
        return v

    def sigma(self):
        matrix = self.weight.flatten(1)
        v = self.power_iteration(matrix.detach())
        return torch.dot(self.sn_u, matrix @ v)

    def normalised_weight(self):
        return self.weight / self.sigma()


class SNLinear(SpectralMixin, nn.Linear):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.init_spectral()

    def forward(self, x):
        return F.linear(x, self.normalised_weight(), self.bias)


class SNConv1d(SpectralMixin, nn.Conv1d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.init_spectral()

    def forward(self, x):
        return F.conv1d(x, self.normalised_weight(), self.bias, self.stride, self.padding)


class SequenceCritic(nn.Module):
    def __init__(self, channels, width=8):
        super().__init__()
        self.body = nn.Sequential(
            SNConv1d(channels, width, 3, padding=1), nn.LeakyReLU(0.2),
            SNConv1d(width, width, 3, stride=2, padding=1), nn.LeakyReLU(0.2))
        self.out = SNLinear(width, 1)

    def forward(self, x):
        return self.out(self.body(x).mean(-1)).squeeze(1)


class SequenceGenerator(nn.Module):
    def __init__(self, latent, channels, length):
        super().__init__()
        self.shape = (channels, length)
        self.net = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, channels * length))

    def forward(self, z):
        return self.net(z).view(-1, *self.shape)


def sine_batch(n, channels, length):
    phase = torch.rand(n, channels, 1) * 6.28
    return torch.sin(torch.linspace(0, 6.28, length) + phase)


def critic_gap(critic, real, fake):
    return critic(fake).mean() - critic(real).mean()


def adversarial_round(gen, critic, opts, batch, latent):
    real = sine_batch(batch, *gen.shape)
    fake = gen(torch.randn(batch, latent))
    gap = critic_gap(critic, real, fake.detach())
    opts["critic"].zero_grad()
    gap.backward()
    opts["critic"].step()
    g_loss = -critic(fake).mean()
    opts["gen"].zero_grad()
    g_loss.backward()
    opts["gen"].step()
    return gap.item(), g_loss.item()


# --- driver ---
torch.manual_seed(4)
gen, critic = SequenceGenerator(6, 2, 12), SequenceCritic(2)
opts = {"gen": torch.optim.Adam(gen.parameters(), lr=1e-3), "critic": torch.optim.Adam(critic.parameters(), lr=1e-3)}
for _ in range(3):
    print(adversarial_round(gen, critic, opts, 6, 6))
