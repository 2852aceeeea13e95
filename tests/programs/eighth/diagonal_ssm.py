"""Diagonal state-space sequence model with a recurrent scan."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiagonalSSM(nn.Module):
    def __init__(self, dim, state=4, dt_min=1e-2, dt_max=1e-1):
        super().__init__()
        self.dim, self.n = dim, state
        a = torch.arange(1, state + 1).float().repeat(dim, 1)
        self.log_a = nn.Parameter(a.log_())
        self.B = nn.Parameter(torch.randn(dim, state).div_(math.sqrt(state)))
        self.C = nn.Parameter(torch.randn(dim, state).div_(math.sqrt(state)))
        self.D = nn.Parameter(torch.ones(dim))
        dt = torch.rand(dim).mul_(math.log(dt_max / dt_min)).add_(math.log(dt_min))
        self.log_dt = nn.Parameter(dt)

    def discretise(self):
        dt = self.log_dt.exp().unsqueeze(1)
        a = -self.log_a.exp()
        decay = (a * dt).exp_()
        return decay, self.B * dt

    def scan(self, u):
        b, t, d = u.shape
        decay, gain = self.discretise()
        drive = u.unsqueeze(-1) * gain
        h = torch.zeros(b, d, self.n)
        ys = torch.empty(b, t, d)
        for i in range(t):
            h = h * decay
            h += drive[:, i]
            ys[:, i] = (h * self.C).sum(-1)
        return ys

    def kernel(self, length):
        decay, gain = self.discretise()
        steps = torch.arange(length).float()
        powers = torch.exp(decay.log().unsqueeze(-1) * steps)
        return torch.einsum("dn,dn,dnl->dl", self.C, gain, powers)

    def conv(self, u):
        t = u.size(1)
        k = torch.fft.rfft(self.kernel(t), n=2 * t)
        y = torch.fft.irfft(torch.fft.rfft(u.transpose(1, 2), n=2 * t) * k, n=2 * t)[..., :t]
        return y.transpose(1, 2)

    def forward(self, u, mode="scan"):
        y = self.scan(u) if mode == "scan" else self.conv(u)
        return y + u * self.D


class SSMBlock(nn.Module):
    def __init__(self, dim, mode):
        super().__init__()
        self.norm, self.ssm, self.mode = nn.LayerNorm(dim), DiagonalSSM(dim), mode
        self.glu = nn.Linear(dim, 2 * dim)

    def forward(self, x):
        y = F.silu(self.ssm(self.norm(x), self.mode))
        v, g = self.glu(y).chunk(2, -1)
        out = v * torch.sigmoid(g)
        out += x
        return out


class SequenceTagger(nn.Module):
    def __init__(self, vocab, dim=8, classes=3, modes=("scan", "conv")):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(SSMBlock(dim, m) for m in modes)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.out(x)

    @torch.no_grad()
    def consistency(self, u):
        gap = torch.zeros(len(self.blocks))
        for i, b in enumerate(self.blocks):
            gap[i] = b.ssm.scan(u).sub_(b.ssm.conv(u)).abs_().max()
        return gap


def counting_task(b, t, vocab):
    ids = torch.randint(0, vocab, (b, t))
    return ids, ids.eq(0).long().cumsum_(1).remainder_(3)


def param_groups(model, lr):
    special = [p for n, p in model.named_parameters() if n.split(".")[-1] in ("log_a", "log_dt", "B")]
    ids = set(map(id, special))
    return [{"params": special, "lr": lr * 0.1, "weight_decay": 0.0},
            {"params": [p for p in model.parameters() if id(p) not in ids], "lr": lr, "weight_decay": 0.01}]


def train(model, steps, vocab, lr=1e-2):
    opt = torch.optim.AdamW(param_groups(model, lr))
    for _ in range(steps):
        ids, y = counting_task(3, 7, vocab)
        loss = F.cross_entropy(model(ids).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for b in model.blocks:
                b.ssm.log_dt.clamp_(math.log(1e-3), 0.0)
    return loss.item()


# --- driver ---
torch.manual_seed(0)
tagger = SequenceTagger(5)
train(tagger, 2, 5)
tagger.consistency(torch.randn(2, 6, 8))
