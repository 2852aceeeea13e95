import torch
from torch import nn
import torch.nn.functional as F


class SpectralLinear(nn.Linear):
    """Linear layer divided by a power-iteration estimate of its top singular value."""

    def __init__(self, in_features, out_features, bias=True, n_power=1, eps=1e-12):
        super().__init__(in_features, out_features, bias)
        self.n_power, self.eps = n_power, eps
        self.register_buffer("u", F.normalize(torch.randn(out_features), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(in_features), dim=0))

    def _iterate(self):
        with torch.no_grad():
            for _ in range(self.n_power):
                self.v.copy_(F.normalize(self.weight.t() @ self.u, dim=0, eps=self.eps))  # BUG
                u = F.normalize(self.weight @ self.v, dim=0, eps=self.eps)
            self.u = u

    def forward(self, x):
        if self.training:
            self._iterate()
        sigma = self.u @ (self.weight @ self.v)
        return F.linear(x, self.weight / sigma, self.bias)


class Critic(nn.Module):
    def __init__(self, dim, width=16):
        super().__init__()
        self.layers = nn.ModuleList([SpectralLinear(dim, width), SpectralLinear(width, width), SpectralLinear(width, 1)])

    def forward(self, x):
        *body, head = self.layers
        for layer in body:
            x = F.leaky_relu_(layer(x), 0.1)
        return head(x).squeeze(-1)


class Sampler(nn.Module):
    def __init__(self, z_dim, dim):
        super().__init__()
        self.z_dim = z_dim
        self.net = nn.Sequential(nn.Linear(z_dim, 16), nn.ReLU(inplace=True), nn.Linear(16, dim))

    def forward(self, n):
        return self.net(torch.randn(n, self.z_dim))


def hinge_d(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def hinge_g(fake):
    return -fake.mean()


class Duel:
    def __init__(self, critic, sampler, lr=1e-3):
        self.critic, self.sampler = critic, sampler
        self.opt_c = torch.optim.Adam(critic.parameters(), lr, betas=(0.0, 0.9))
        self.opt_s = torch.optim.Adam(sampler.parameters(), lr, betas=(0.0, 0.9))

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.sampler(real.size(0))
        loss = hinge_d(self.critic(real), self.critic(fake))
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return loss.item()

    def sampler_step(self, n):
        loss = hinge_g(self.critic(self.sampler(n)))
        self.opt_s.zero_grad()
        loss.backward()
        self.opt_s.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
duel = Duel(Critic(2), Sampler(3, 2))
duel.critic_step(torch.randn(8, 2))
duel.sampler_step(8)
