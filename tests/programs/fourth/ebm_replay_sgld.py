import torch
import torch.nn as nn
import torch.nn.functional as F


class Energy(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, ch, 3, 2, 1), nn.SiLU(), nn.Conv2d(ch, 2 * ch, 3, 2, 1), nn.SiLU(),
            nn.Flatten(), nn.Linear(2 * ch * 4, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class ReplayBuffer:
    def __init__(self, capacity, shape, reinit=0.05):
        self.samples = torch.rand(capacity, *shape).mul_(2).sub_(1)
        self.reinit = reinit

    def draw(self, n):
        idx = torch.randperm(len(self.samples))[:n]
        x = self.samples[idx]
        fresh = torch.rand(n) < self.reinit
        x[fresh] = torch.rand_like(x[fresh]).mul_(2).sub_(1)
        return x, idx

    def put(self, idx, x):
        self.samples[idx] = x


class frozen:
    def __init__(self, module):
        self.module = module

    def __enter__(self):
        self.flags = [p.requires_grad for p in self.module.parameters()]
        self.module.requires_grad_(False)

    def __exit__(self, *exc):
        for p, f in zip(self.module.parameters(), self.flags):
            p.requires_grad_(f)


class Langevin:
    def __init__(self, steps=4, step_size=1.0, noise=0.01, clip=0.03):
        self.steps, self.step_size, self.noise, self.clip = steps, step_size, noise, clip

    def __call__(self, energy, x):
        x = x.detach().requires_grad_()
        with frozen(energy):
            for _ in range(self.steps):
                g, = torch.autograd.grad(energy(x).sum(), x)
                g.clamp_(-self.clip, self.clip)
                with torch.no_grad():
                    x.sub_(g, alpha=self.step_size)
                    x.add_(torch.randn_like(x), alpha=self.noise)
                    x.clamp_(-1, 1)
        return x.detach()


class EBMTrainer:
    def __init__(self, energy, shape, l2=0.1, lr=1e-4):
        self.energy, self.l2 = energy, l2
        self.buffer, self.sampler = ReplayBuffer(16, shape), Langevin()
        self.opt = torch.optim.Adam(energy.parameters(), lr=lr, betas=(0.0, 0.999))
        self.ema = [p.detach().clone() for p in energy.parameters()]

    def step(self, real):
        real = real.add_(torch.randn_like(real), alpha=0.005).clamp_(-1, 1)
        init, idx = self.buffer.draw(len(real))
        fake = self.sampler(self.energy, init)
        self.buffer.put(idx, fake)
        e_real, e_fake = self.energy(torch.cat([real, fake])).chunk(2)
        gap = e_real.mean() - e_fake.mean()
        loss = gap + self.l2 * (e_real.square().mean() + e_fake.square().mean())
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.energy.parameters(), 0.1)
        self.opt.step()
        for avg, p in zip(self.ema, self.energy.parameters()):
            avg.mul_(0.99).add_(p.detach(), alpha=0.01)
        return gap.item()


# --- driver ---
torch.manual_seed(0)
trainer = EBMTrainer(Energy(), (1, 8, 8))
for _ in range(2):
    trainer.step(torch.rand(4, 1, 8, 8) * 2 - 1)
