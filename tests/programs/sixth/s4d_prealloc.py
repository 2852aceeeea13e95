import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiagonalSSM(nn.Module):
    def __init__(self, dim, n_state, dt_range=(1e-2, 1e-1)):
        super().__init__()
        self.dim, self.n = dim, n_state
        log_dt = torch.rand(dim)
        log_dt.mul_(math.log(dt_range[1] / dt_range[0])).add_(math.log(dt_range[0]))
        self.log_dt = nn.Parameter(log_dt)
        self.log_a = nn.Parameter(torch.arange(1.0, n_state + 1).log_().repeat(dim, 1))
        self.C = nn.Parameter(torch.randn(dim, n_state).mul_(n_state ** -0.5))
        self.D = nn.Parameter(torch.ones(dim))

    def discretize(self):
        a = -self.log_a.exp()
        dt = self.log_dt.exp().unsqueeze(-1)
        abar = torch.exp(a * dt)
        bbar = (abar - 1) / a
        return abar, bbar

    def kernel(self, length):
        abar, bbar = self.discretize()
        powers = torch.arange(length).float()
        k = torch.einsum("dn,dnl->dl", self.C * bbar, abar.unsqueeze(-1) ** powers)
        return k

    def forward(self, u):
        length = u.shape[1]
        k = self.kernel(length)
        n = 2 * length
        y = torch.fft.irfft(torch.fft.rfft(u.transpose(1, 2), n=n) * torch.fft.rfft(k, n=n), n=n)[..., :length]
        y = y.transpose(1, 2)
        y += u * self.D
        return y

    def recur(self, u, state):
        abar, bbar = self.discretize()
        out = u.new_empty(u.shape)
        for t in range(u.shape[1]):
            state = state * abar
            state.add_(bbar * u[:, t].unsqueeze(-1))
            out[:, t] = (state * self.C).sum(-1)
        out += u * self.D
        return out, state


class SSMLayer(nn.Module):
    def __init__(self, dim, n_state, recurrent):
        super().__init__()
        self.ssm = DiagonalSSM(dim, n_state)
        self.recurrent = recurrent
        self.mix = nn.Linear(dim, 2 * dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        h = self.norm(x)
        if self.recurrent:
            h, _ = self.ssm.recur(h, h.new_zeros(h.shape[0], self.ssm.dim, self.ssm.n))
        else:
            h = self.ssm(h)
        h = F.glu(self.mix(F.gelu(h)), dim=-1)
        h += x
        return h


class SequenceClassifier(nn.Module):
    def __init__(self, d_in, dim, n_cls):
        super().__init__()
        self.enc = nn.Linear(d_in, dim)
        self.layers = nn.ModuleList([SSMLayer(dim, 4, False), SSMLayer(dim, 4, True)])
        self.dec = nn.Linear(dim, n_cls)

    def forward(self, x):
        x = self.enc(x)
        for l in self.layers:
            x = l(x)
        return self.dec(x.mean(1))


def param_groups(model, lr):
    slow = [p for n, p in model.named_parameters() if "log_" in n]
    ids = {id(p) for p in slow}
    rest = [p for p in model.parameters() if id(p) not in ids]
    return [{"params": slow, "lr": lr * 0.1, "weight_decay": 0.0}, {"params": rest, "lr": lr}]


# --- driver ---
torch.manual_seed(0)
model = SequenceClassifier(3, 6, 2)
opt = torch.optim.AdamW(param_groups(model, 1e-3))
F.cross_entropy(model(torch.randn(4, 9, 3)), torch.randint(0, 2, (4,))).backward()
opt.step()
