"""Contrastive learning on multivariate sensor windows with running input/feature scaling."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RunningScale(nn.Module):
    """Divides features by an exponential running estimate of their std."""

    def __init__(self, dim, momentum=0.05, eps=1e-4):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.register_buffer('std', torch.ones(dim))
        self.register_buffer('n_updates', torch.zeros((), dtype=torch.long))

    def forward(self, x):
        if self.training:
            batch_std = x.detach().std(dim=0) + self.eps
            self.std.lerp_(batch_std, self.momentum)  # BUG
            self.n_updates += 1
        return x / self.std


class SensorEncoder(nn.Module):
    def __init__(self, channels, dim=16):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(channels, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU(inplace=True),
            nn.Conv1d(16, dim, 3, stride=2, padding=1), nn.ReLU(inplace=True),
        )
        self.scale = RunningScale(dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.conv(x).mean(-1)
        return self.proj(self.scale(h))


class Augment:
    def __init__(self, jitter=0.05, drop=0.2):
        self.jitter, self.drop = jitter, drop

    def __call__(self, x):
        out = x.clone()
        out += self.jitter * torch.randn_like(out)
        width = max(1, int(self.drop * x.size(-1)))
        start = torch.randint(0, x.size(-1) - width, ()).item()
        out[..., start:start + width] = 0
        return out


def nt_xent(a, b, tau=0.2):
    z = F.normalize(torch.cat([a, b]), dim=1)
    sim = z @ z.t() / tau
    n = a.size(0)
    eye = torch.eye(2 * n, dtype=torch.bool)
    sim = sim.masked_fill(eye, -1e9)
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


class ContrastiveTask(nn.Module):
    def __init__(self, encoder, augment):
        super().__init__()
        self.encoder, self.augment = encoder, augment

    def forward(self, x):
        return nt_xent(self.encoder(self.augment(x)), self.encoder(self.augment(x)))


def pretrain(task, windows, epochs=1, batch=8, lr=1e-3):
    opt = torch.optim.AdamW(task.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for _ in range(epochs):
        for i in range(0, len(windows), batch):
            loss = task(windows[i:i + batch])
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
    return loss.item()


# --- driver ---
task = ContrastiveTask(SensorEncoder(3), Augment())
print(pretrain(task, torch.randn(16, 3, 40)))
