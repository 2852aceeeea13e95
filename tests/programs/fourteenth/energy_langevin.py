"""Energy-based model trained by persistent contrastive divergence with Langevin dynamics."""
import torch
import torch.nn as nn


class SmoothEnergy(nn.Module):
    def __init__(self, dim, width=32):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(dim, width), nn.Linear(width, width), nn.Linear(width, 1)

    def forward(self, x):
        h = nn.functional.silu(self.a(x))
        h = h + nn.functional.silu(self.b(h))
        return self.c(h).squeeze(1) + 0.05 * x.square().sum(1)


class Langevin:
    def __init__(self, energy, steps, size, noise, grad_clip=0.5):
        self.energy, self.steps = energy, steps
        self.size, self.noise, self.grad_clip = size, noise, grad_clip

    def __call__(self, x):
        """Moves `x` in place, returns it without a graph."""
        flags = [p.requires_grad for p in self.energy.parameters()]
        self.energy.requires_grad_(False)
        x.requires_grad_()
        for _ in range(self.steps):
            grad, = torch.autograd.grad(self.energy(x).sum(), x)
            grad.clamp_(-self.grad_clip, self.grad_clip)
            with torch.no_grad():
                x.sub_(grad, alpha=self.size).add_(torch.randn_like(x), alpha=self.noise)
        for p, flag in zip(self.energy.parameters(), flags):
            p.requires_grad_(flag)
        return x.detach_()


class ParticlePool:
    def __init__(self, size, dim, restart=0.05):
        self.particles = torch.empty(size, dim).uniform_(-2, 2)
        self.restart = restart

    def draw(self, n):
        idx = torch.randperm(self.particles.size(0))[:n]
        x = self.particles[idx]
        fresh = torch.rand(n) < self.restart
        x[fresh] = torch.empty(int(fresh.sum()), x.size(1)).uniform_(-2, 2)
        return idx, x

    def put_back(self, idx, x):
        self.particles.index_copy_(0, idx, x)


class ContrastiveDivergence:
    def __init__(self, energy, pool, sampler, lr=2e-3, reg=0.05):
        self.energy, self.pool, self.sampler, self.reg = energy, pool, sampler, reg
        self.opt = torch.optim.Adam(energy.parameters(), lr=lr, betas=(0.0, 0.999))
        self.ema = [p.detach().clone() for p in energy.parameters()]

    def step(self, real):
        idx, start = self.pool.draw(real.size(0))
        fake = self.sampler(start)
        noisy = real + 0.02 * torch.randn_like(real)
        e_real, e_fake = self.energy(noisy), self.energy(fake)
        self.pool.put_back(idx, fake)
        loss = (e_real - e_fake).mean() + self.reg * (e_real.square() + e_fake.square()).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.energy.parameters(), 1.0)
        self.opt.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.ema, list(self.energy.parameters()), 0.05)
        return e_real.mean().item(), e_fake.mean().item()


def pinwheel(n, arms=5):
    arm = torch.randint(0, arms, (n,))
    r = 1 + 0.3 * torch.randn(n)
    angle = 2 * torch.pi * arm / arms + 0.25 * torch.exp(r * 0.5) + 0.08 * torch.randn(n)
    return torch.stack([r * angle.cos(), r * angle.sin()], dim=1)


def density_grid(energy, side=8, reach=2.5):
    axis = torch.linspace(-reach, reach, side)
    with torch.no_grad():
        logits = -energy(torch.cartesian_prod(axis, axis))
        logits -= logits.max()
        mass = logits.exp_()
        mass /= mass.sum()
    return mass.view(side, side)


# --- driver ---
torch.manual_seed(4)
energy = SmoothEnergy(2)
cd = ContrastiveDivergence(energy, ParticlePool(128, 2), Langevin(energy, steps=5, size=0.1, noise=0.05))
for _ in range(4):
    print(cd.step(pinwheel(32)))
print(density_grid(energy).max())
