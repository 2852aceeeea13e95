import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralNorm(nn.Module):
    def __init__(self, module, n_power=1, eps=1e-12):
        super().__init__()
        self.module = module
        w = module.weight
        del module._parameters["weight"]
        self.weight_orig = nn.Parameter(w.data)
        h = w.view(w.size(0), -1)
        self.register_buffer("u", F.normalize(torch.randn(h.size(0)), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(h.size(1)), dim=0))
        self.n_power, self.eps = n_power, eps

    def compute_weight(self):
        w = self.weight_orig
        mat = w.reshape(w.size(0), -1)
        u, v = self.u, self.v
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_power):
                    v = F.normalize(torch.mv(mat.t(), u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(torch.mv(mat, v), dim=0, eps=self.eps, out=u)
                # needed: two forwards of D may precede one backward
                u = u.clone(memory_format=torch.contiguous_format)
                v = v.clone(memory_format=torch.contiguous_format)
        sigma = torch.dot(u, torch.mv(mat, v))
        return w / sigma

    def forward(self, x):
        self.module.weight = self.compute_weight()
        return self.module(x)


class ConditionalBN(nn.Module):
    def __init__(self, c, n_cls):
        super().__init__()
        self.bn = nn.BatchNorm1d(c, affine=False)
        self.embed = nn.Embedding(n_cls, 2 * c)
        self.embed.weight.data[:, :c].normal_(1, 0.02)
        self.embed.weight.data[:, c:].zero_()

    def forward(self, x, y):
        gamma, beta = self.embed(y).chunk(2, 1)
        out = self.bn(x)
        out = out * gamma
        out += beta
        return out
