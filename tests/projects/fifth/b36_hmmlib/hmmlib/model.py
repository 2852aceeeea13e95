import math

import torch
from torch import nn

from . import kernels


class HMM(nn.Module):
    """Gaussian HMM trained by gradient.

    algorithm: "log" (default) or "scaled" (probability space with scaling).
    ``forward(x)`` is the mean negative log-likelihood of (B, T, D) data.
    """

    def __init__(self, states, dim, algorithm="log"):
        super().__init__()
        self.init_logits = nn.Parameter(torch.zeros(states))
        self.trans_logits = nn.Parameter(torch.eye(states))
        self.mean = nn.Parameter(torch.randn(states, dim))
        self.log_std = nn.Parameter(torch.zeros(states, dim))
        if algorithm not in ("log", "scaled"):
            raise ValueError("algorithm must be 'log' or 'scaled', is %r" % algorithm)
        self.algorithm = algorithm

    def emission(self, x):
        z = (x.unsqueeze(2) - self.mean) * torch.exp(-self.log_std)
        lp = z.pow(2).mul_(-0.5).sum(-1)
        lp -= self.log_std.sum(-1)
        lp -= 0.5 * x.size(-1) * math.log(2 * math.pi)
        return lp

    def params(self):
        return self.init_logits.log_softmax(0), self.trans_logits.log_softmax(1)

    def log_prob(self, x):
        pi, A = self.params()
        e = self.emission(x)
        if self.algorithm == "scaled":
            top = e.amax(-1, keepdim=True).detach()
            _, ll = kernels.forward_scaled(pi.exp(), A.exp(), (e - top).exp())
            return ll + top.sum((1, 2))
        return kernels.forward_log(pi, A, e)[1]

    def forward(self, x):
        return self.log_prob(x).mean().neg()

    @torch.no_grad()
    def decode(self, x):
        return kernels.viterbi(*self.params(), self.emission(x))
