"""Diagonal state space classifier with a recurrent scan, on synthetic sensor sequences."""
import argparse
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def parse(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument('--d', type=int, default=8)
    p.add_argument('--state', type=int, default=4)
    p.add_argument('--layers', type=int, default=2)
    p.add_argument('--lr', type=float, default=4e-3)
    return p.parse_args(argv or [])


class DiagSSM(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.log_a = nn.Parameter(torch.log(torch.arange(1, n + 1).float()).repeat(d, 1))
        self.log_dt = nn.Parameter(torch.empty(d).uniform_(math.log(1e-2), math.log(1e-1)))
        self.B = nn.Parameter(torch.randn(d, n).div_(math.sqrt(n)))
        self.C = nn.Parameter(torch.randn(d, n).div_(math.sqrt(n)))
        self.D = nn.Parameter(torch.ones(d))

    def forward(self, u):
        dt = self.log_dt.exp().unsqueeze(1)
        a = torch.exp(-dt * self.log_a.exp())
        b = dt * self.B
        h = torch.zeros(u.size(0), *self.B.shape)
        y = torch.empty_like(u)
        for t in range(u.size(1)):
            inc = u[:, t, :, None] * b
            inc += a * h
            h = inc
            y[:, t] = (h * self.C).sum(-1)
        y += u * self.D
        return y

    @torch.no_grad()
    def init_state(self, batch):
        return torch.zeros(batch, *self.B.shape)

    @torch.no_grad()
    def step(self, h, u):
        dt = self.log_dt.exp().unsqueeze(1)
        h.mul_(torch.exp(-dt * self.log_a.exp())).add_(u[..., None] * dt * self.B)
        return (h * self.C).sum(-1).add_(u * self.D)


class Classifier(nn.Module):
    def __init__(self, args, classes=3):
        super().__init__()
        self.inp = nn.Linear(1, args.d)
        self.ssm = nn.ModuleList(DiagSSM(args.d, args.state) for _ in range(args.layers))
        self.mix = nn.ModuleList(nn.Linear(args.d, 2 * args.d) for _ in range(args.layers))
        self.head = nn.Linear(args.d, classes)

    def forward(self, x, lengths):
        x = self.inp(x)
        for ssm, mix in zip(self.ssm, self.mix):
            z = F.glu(mix(F.gelu(ssm(x))), dim=-1)
            z += x
            x = z
        mask = torch.arange(x.size(1))[None] >= lengths[:, None]
        pooled = x.masked_fill(mask[..., None], 0.0).sum(1)
        pooled /= lengths[:, None]
        return self.head(pooled)


def sensors(n, T=10, classes=3):
    y = torch.randint(0, classes, (n,))
    x = torch.randn(n, T, 1).mul_(0.1)
    x += torch.sin(torch.arange(T)[None, :, None] * (y[:, None, None] + 1) * 0.5)
    lengths = torch.randint(T // 2, T + 1, (n,))
    x[torch.arange(T)[None] >= lengths[:, None]] = 0.0
    return x, lengths, y


def main(args, steps):
    model = Classifier(args)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for _ in range(steps):
        x, lengths, y = sensors(4)
        loss = F.cross_entropy(model(x, lengths), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    h = model.ssm[0].init_state(2)
    return model.ssm[0].step(h, torch.randn(2, args.d))


# --- driver ---
torch.manual_seed(0)
main(parse(), 2)
