"""Fine-tune a diffusion sampler by backpropagating a reward through its last steps."""
import math

import torch
from torch import nn


def sinusoid(t, dim):
    freqs = torch.exp(-math.log(1000.0) * torch.arange(dim // 2) / (dim // 2))
    ang = t[:, None].float() * freqs
    return torch.cat([ang.sin(), ang.cos()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, dim=4, width=32, t_dim=8):
        super().__init__()
        self.t_dim = t_dim
        self.inp = nn.Linear(dim, width)
        self.time = nn.Linear(t_dim, width)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(width, dim))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(sinusoid(t, self.t_dim)))


class Schedule:
    def __init__(self, steps):
        self.betas = torch.linspace(1e-3, 0.1, steps)
        self.alphas = 1 - self.betas
        self.abar = self.alphas.cumprod(0)

    def __len__(self):
        return len(self.betas)

    def noise(self, x0, t, eps):
        a = self.abar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * eps


def pretrain(model, sched, data, opt, steps):
    for _ in range(steps):
        t = torch.randint(0, len(sched), (len(data),))
        eps = torch.randn_like(data)
        loss = (model(sched.noise(data, t, eps), t) - eps).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def denoise_chain(model, sched, n, dim, tracked):
    """Ancestral sampling; gradients are kept for the final `tracked` steps."""
    x = torch.randn(n, dim)
    for i in reversed(range(len(sched))):
        with torch.set_grad_enabled(i < tracked):
            t = torch.full((n,), i)
            eps = model(x, t)
            coef = sched.betas[i] / (1 - sched.abar[i]).sqrt()
            x -= coef * eps  # BUG
            x = x / sched.alphas[i].sqrt()
            if i > 0:
                x = x + sched.betas[i].sqrt() * torch.randn_like(x)
    return x


def reward(x, goal):
    return -(x - goal).norm(dim=-1)


def finetune(model, sched, goal, iters=3, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for it in range(iters):
        samples = denoise_chain(model, sched, 8, goal.numel(), tracked=3)
        r = reward(samples, goal).mean()
        opt.zero_grad()
        (-r).backward()
        opt.step()
        print(it, "reward", r.item())


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    net, sched = Denoiser(), Schedule(8)
    print("pretrain", pretrain(net, sched, torch.randn(16, 4), torch.optim.Adam(net.parameters(), 1e-3), 2))
    finetune(net, sched, torch.ones(4))
