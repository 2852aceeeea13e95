"""Wasserstein GAN with weight limits on the critic (original recipe)."""
import torch
from torch import nn


class WeightLimiter:
    """Keeps every weight of a module inside a box."""

    def __init__(self, module, bound=0.05, only=("weight",)):
        self.module = module
        self.bound = bound
        self.only = only

    def selected(self):
        for name, p in self.module.named_parameters():
            if name.rsplit(".", 1)[-1] in self.only:
                yield p

    def enforce(self):
        worst = 0.0
        for p in self.selected():
            worst = max(worst, p.data.abs().max().item())
            p.data.clamp_(-self.bound, self.bound)  # BUG silent
        return worst


def dense(*sizes, act=nn.ReLU):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers[:-1])


class WGAN:
    def __init__(self, z_dim, x_dim, n_critic=2, lr=5e-4, bound=0.05):
        self.z_dim = z_dim
        self.n_critic = n_critic
        self.gen = dense(z_dim, 24, 24, x_dim)
        self.critic = dense(x_dim, 24, 24, 1, act=nn.Tanh)
        self.limiter = WeightLimiter(self.critic, bound)
        self.opt_g = torch.optim.RMSprop(self.gen.parameters(), lr=lr)
        self.opt_c = torch.optim.RMSprop(self.critic.parameters(), lr=lr)
        self.peak = []

    def latent(self, n):
        return torch.randn(n, self.z_dim)

    def wasserstein(self, real, fake):
        return self.critic(real).mean() - self.critic(fake).mean()

    def critic_objective(self, real):
        with torch.no_grad():
            fake = self.gen(self.latent(len(real)))
        distance = self.wasserstein(real, fake)
        self.peak.append(self.limiter.enforce())
        return -distance

    def critic_step(self, real):
        loss = self.critic_objective(real)
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return -loss.item()

    def generator_step(self, n):
        loss = -self.critic(self.gen(self.latent(n))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def train(self, stream, steps):
        for step in range(steps):
            for _ in range(self.n_critic):
                w = self.critic_step(next(stream))
            g = self.generator_step(16)
            print(f"{step} W={w:.5f} G={g:.5f} peak={self.peak[-1]:.3f}")


def ring(n, modes=8):
    while True:
        k = torch.randint(0, modes, (n,)).float() / modes * 6.2832
        yield torch.stack([k.cos(), k.sin()], 1) + 0.02 * torch.randn(n, 2)


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    WGAN(z_dim=4, x_dim=2).train(ring(16), steps=3)


if __name__ == "__main__":
    main()
