from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Schedule:
    steps: int = 8
    lo: float = 1e-3
    hi: float = 0.2

    def __post_init__(self):
        self.beta = torch.linspace(self.lo, self.hi, self.steps)
        self.alpha = 1 - self.beta
        self.abar = self.alpha.clone()
        for i in range(1, self.steps):
            self.abar[i] *= self.abar[i - 1]
        prev = torch.ones(self.steps)
        prev[1:] = self.abar[:-1]
        self.post_var = self.beta * (1 - prev) / (1 - self.abar)
        self.post_var[0] = self.post_var[1]

    def q_sample(self, x0, t, noise):
        a = self.abar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise


class FiLM(nn.Module):
    def __init__(self, ch, t_dim):
        super().__init__()
        self.norm = nn.GroupNorm(2, ch)
        self.conv = nn.Conv2d(ch, ch, 3, padding=1)
        self.t = nn.Linear(t_dim, 2 * ch)

    def forward(self, x, emb):
        h = self.conv(F.silu(self.norm(x)))
        scale, shift = self.t(emb)[..., None, None].chunk(2, 1)
        h = h * (1 + scale)
        h += shift
        h += x
        return h


class TinyUNet(nn.Module):
    def __init__(self, ch=8, t_dim=8, T=8):
        super().__init__()
        self.t_emb = nn.Embedding(T, t_dim)
        self.cin = nn.Conv2d(1, ch, 3, padding=1)
        self.down, self.mid, self.up = (FiLM(ch, t_dim) for _ in range(3))
        self.cout = nn.Conv2d(ch, 1, 3, padding=1)
        nn.init.zeros_(self.cout.weight)

    def forward(self, x, t):
        e = self.t_emb(t)
        skip = self.down(self.cin(x), e)
        h = self.mid(F.avg_pool2d(skip, 2), e)
        h = F.interpolate(h, scale_factor=2)
        h += skip
        return self.cout(self.up(h, e))


class DDPM:
    def __init__(self, net, sched):
        self.net, self.s = net, sched
        self.ema = {k: v.detach().clone() for k, v in net.state_dict().items()}

    def loss(self, x0):
        t = torch.randint(0, self.s.steps, (len(x0),))
        noise = torch.randn_like(x0)
        snr = self.s.abar[t] / (1 - self.s.abar[t])
        w = snr.clamp_(max=5.0).div_(5.0)
        err = F.mse_loss(self.net(self.s.q_sample(x0, t, noise), t), noise, reduction="none")
        return (w * err.mean((1, 2, 3))).mean()

    def update_ema(self, d=0.9):
        for k, v in self.net.state_dict().items():
            self.ema[k].mul_(d).add_(v, alpha=1 - d)

    @torch.no_grad()
    def sample(self, n, size):
        x = torch.randn(n, 1, size, size)
        for i in reversed(range(self.s.steps)):
            eps = self.net(x, torch.full((n,), i))
            x.sub_(self.s.beta[i] / (1 - self.s.abar[i]).sqrt() * eps).div_(self.s.alpha[i].sqrt())
            if i:
                x.add_(self.s.post_var[i].sqrt() * torch.randn_like(x))
        return x.clamp_(-1, 1)


# --- driver ---
torch.manual_seed(6)
ddpm = DDPM(TinyUNet(), Schedule())
opt = torch.optim.AdamW(ddpm.net.parameters(), lr=1e-3)
for _ in range(2):
    opt.zero_grad()
    ddpm.loss(torch.rand(4, 1, 8, 8) * 2 - 1).backward()
    opt.step()
    ddpm.update_ema()
print(ddpm.sample(2, 8).shape)
