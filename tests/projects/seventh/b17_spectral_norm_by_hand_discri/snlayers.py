import torch
import torch.nn as nn
import torch.nn.functional as F


def l2n(x, eps=1e-12):
    return x / (x.norm() + eps)


class SNLinear(nn.Module):
    def __init__(self, n_in, n_out, power_iters=1):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_out, n_in))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.orthogonal_(self.weight)
        self.register_buffer("u", l2n(torch.randn(n_out)))
        self.power_iters = power_iters

    def w_bar(self):
        w = self.weight
        with torch.no_grad():
            u = self.u
            for _ in range(self.power_iters):
                v = l2n(torch.mv(w.t(), u))
                u = l2n(torch.mv(w, v))
            self.u.copy_(u)  # BUG
        sigma = torch.dot(self.u, torch.mv(w, v))
        return w / sigma

    def forward(self, x):
        return F.linear(x, self.w_bar(), self.bias)


class Critic(nn.Module):
    def __init__(self, d, h=32):
        super().__init__()
        self.l1, self.l2, self.l3 = SNLinear(d, h), SNLinear(h, h), SNLinear(h, 1)

    def forward(self, x):
        x = F.leaky_relu(self.l1(x), 0.1)
        x = F.leaky_relu(self.l2(x), 0.1)
        return self.l3(x)
