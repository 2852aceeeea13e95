import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class NoisyLinear(nn.Module):
    def __init__(self, i, o, s0=0.5):
        super().__init__()
        b = 1 / math.sqrt(i)
        self.w_mu, self.w_s = nn.Parameter(torch.empty(o, i).uniform_(-b, b)), nn.Parameter(torch.full((o, i), s0 * b))
        self.b_mu, self.b_s = nn.Parameter(torch.empty(o).uniform_(-b, b)), nn.Parameter(torch.full((o,), s0 * b))
        self.register_buffer("w_eps", torch.zeros(o, i))
        self.register_buffer("b_eps", torch.zeros(o))
        self.reset_noise()

    def reset_noise(self):
        f = lambda n: (lambda x: x.sign().mul_(x.abs().sqrt_()))(torch.randn(n))
        ei, eo = f(self.w_mu.size(1)), f(self.w_mu.size(0))
        self.w_eps.copy_(eo.outer(ei))
        self.b_eps.copy_(eo)

    def forward(self, x):
        if self.training:
            return F.linear(x, self.w_mu + self.w_s * self.w_eps, self.b_mu + self.b_s * self.b_eps)
        return F.linear(x, self.w_mu, self.b_mu)


class Dueling(nn.Module):
    def __init__(self, o, a, h=16):
        super().__init__()
        self.body = nn.Linear(o, h)
        self.v, self.adv = NoisyLinear(h, 1), NoisyLinear(h, a)

    def reset_noise(self):
        for m in self.children():
            if hasattr(m, "reset_noise"):
                m.reset_noise()

    def forward(self, x):
        h = F.relu_(self.body(x))
        a = self.adv(h)
        q = a - a.mean(-1, keepdim=True)
        q += self.v(h)
        return q
