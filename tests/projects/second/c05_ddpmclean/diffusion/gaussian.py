import torch
from torch import nn
import torch.nn.functional as F


class GaussianDiffusion(nn.Module):
    def __init__(self, net, T=20):
        super().__init__()
        self.net, self.T = net, T
        betas = torch.linspace(1e-4, 0.02, T)
        self.register_buffer("betas", betas)
        self.register_buffer("abar", (1 - betas).cumprod(0))
        self.register_buffer("hist", torch.zeros(T))

    def forward(self, x0):
        t = torch.randint(self.T, (len(x0),))
        eps = torch.randn_like(x0)
        a = self.abar[t][:, None]
        xt = a.sqrt() * x0 + (1 - a).sqrt() * eps
        per = (self.net(xt, t) - eps).pow(2).mean(-1)
        with torch.no_grad():
            w = 1 / (1 + self.hist[t])
            self.hist.index_add_(0, t, per.detach())
        return (w * per).mean()
