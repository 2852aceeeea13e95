"""Diagonal state space model (S4D-like) for multi-step load forecasting; recurrence for streaming, kernel for training."""
import math
import torch
from torch import nn


class S4DKernel(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.log_dt = nn.Parameter(torch.rand(d) * (math.log(0.1) - math.log(1e-3)) + math.log(1e-3))
        self.log_re = nn.Parameter(torch.full((d, n), math.log(0.5)))
        self.im = nn.Parameter(math.pi * torch.arange(n).float().repeat(d, 1))
        self.C = nn.Parameter(torch.randn(d, n, 2) * 0.5)

    def discretise(self):
        dt = self.log_dt.exp().unsqueeze(1)
        A = torch.complex(-self.log_re.exp(), self.im)
        dA = torch.exp(A * dt)
        C = torch.view_as_complex(self.C) * (dA - 1) / A
        return dA, C

    def forward(self, L):
        dA, C = self.discretise()
        powers = dA.unsqueeze(-1) ** torch.arange(L)
        return 2 * torch.einsum("dn,dnl->dl", C, powers).real


class S4DBlock(nn.Module):
    def __init__(self, d, n=4, drop=0.1):
        super().__init__()
        self.kernel = S4DKernel(d, n)
        self.D = nn.Parameter(torch.randn(d))
        self.norm = nn.LayerNorm(d)
        self.mix = nn.Sequential(nn.Linear(d, 2 * d), nn.GLU())
        self.drop = nn.Dropout(drop, inplace=True)

    def forward(self, x):
        L = x.shape[1]
        u = self.norm(x).transpose(1, 2)
        k = self.kernel(L)
        y = torch.fft.irfft(torch.fft.rfft(u, 2 * L) * torch.fft.rfft(k, 2 * L), 2 * L)[..., :L]
        y = y + u * self.D[:, None]
        return x + self.drop(self.mix(nn.functional.gelu(y).transpose(1, 2)))

    @torch.no_grad()
    def stream(self, u, state):
        """One step of the recurrence, the state is changed in place."""
        dA, C = self.kernel.discretise()
        v = self.norm(u)
        state.mul_(dA).add_(v.unsqueeze(-1))
        y = 2 * (state * C).sum(-1).real
        y.addcmul_(v, self.D)
        return u + self.mix(nn.functional.gelu(y))


class Forecaster(nn.Module):
    def __init__(self, series, d=12, depth=2, horizon=3):
        super().__init__()
        self.inp = nn.Linear(series, d)
        self.blocks = nn.ModuleList(S4DBlock(d) for _ in range(depth))
        self.out = nn.Linear(d, series * horizon)
        self.series, self.horizon = series, horizon

    def forward(self, x):
        mu, sd = x.mean(1, keepdim=True), x.std(1, keepdim=True) + 1e-4
        h = self.inp((x - mu) / sd)
        for b in self.blocks:
            h = b(h)
        y = self.out(h).view(*x.shape[:2], self.horizon, self.series)
        return y * sd.unsqueeze(2) + mu.unsqueeze(2)


def windows(x, horizon):
    ys = torch.stack([x[:, 1 + k : x.shape[1] - horizon + 1 + k] for k in range(horizon)], 2)
    return x[:, : x.shape[1] - horizon], ys


def train(model, data, epochs):
    opt = torch.optim.AdamW(model.parameters(), 5e-3)
    x, y = windows(data, model.horizon)
    for ep in range(epochs):
        loss = nn.functional.huber_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(ep, loss.item())
    model.eval()
    state = [torch.zeros(len(x), *b.kernel.C.shape[:2], dtype=torch.cfloat) for b in model.blocks]
    h = model.inp(x[:, 0]).detach()
    for b, s in zip(model.blocks, state):
        h = b.stream(h, s)


# --- driver ---
torch.manual_seed(27)
t = torch.linspace(0, 6, 30)
load = torch.sin(t)[None, :, None] * torch.rand(4, 1, 3) + 0.1 * torch.randn(4, 30, 3)
train(Forecaster(3), load, 3)
