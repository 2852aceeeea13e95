"""Spectrally-normalised convolution and dense layers for a feature discriminator."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralMixin:
    """Power iteration on the matricised weight; subclasses call normalized_weight()."""

    def init_spectral(self, rows, cols):
        self.register_buffer('u', F.normalize(torch.randn(rows), dim=0))
        self.register_buffer('v', F.normalize(torch.randn(cols), dim=0))

    def normalized_weight(self):
        mat = self.weight.flatten(1)
        if self.training:
            with torch.no_grad():
                self.v.copy_(F.normalize(mat.t() @ self.u, dim=0))
                self.u.copy_(F.normalize(mat @ self.v, dim=0))
        u, v = self.u.clone(), self.v.clone()
        sigma = u @ (mat @ v)
        return self.weight / sigma


class SNConv2d(nn.Conv2d, SpectralMixin):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.init_spectral(self.weight.size(0), self.weight[0].numel())

    def forward(self, x):
        return self._conv_forward(x, self.normalized_weight(), self.bias)


class SNDense(nn.Linear, SpectralMixin):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.init_spectral(*self.weight.shape)

    def forward(self, x):
        return F.linear(x, self.normalized_weight(), self.bias)


class DBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.c1 = SNConv2d(c_in, c_out, 3, padding=1)
        self.c2 = SNConv2d(c_out, c_out, 3, padding=1)
        self.sc = SNConv2d(c_in, c_out, 1)

    def forward(self, x):
        h = F.leaky_relu(self.c1(x), 0.2, inplace=True)
        h = F.avg_pool2d(self.c2(h), 2)
        h += F.avg_pool2d(self.sc(x), 2)
        return h


class FeatureDiscriminator(nn.Module):
    def __init__(self, c=3, base=6):
        super().__init__()
        self.blocks = nn.ModuleList([DBlock(c, base), DBlock(base, base * 2)])
        self.fc = SNDense(base * 2, 1)

    def forward(self, x):
        feats = []
        for b in self.blocks:
            x = b(x)
            feats.append(x)
        return self.fc(F.relu(x).sum(dim=(2, 3))).squeeze(1), feats


class Colorizer(nn.Module):
    def __init__(self, base=8):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, base, 3, padding=1), nn.ReLU(inplace=True),
                                 nn.Conv2d(base, base, 3, padding=1), nn.ReLU(inplace=True),
                                 nn.Conv2d(base, 3, 3, padding=1), nn.Sigmoid())

    def forward(self, gray):
        return self.net(gray)


def feature_matching(fa, fb):
    return sum(F.l1_loss(a, b.detach()) for a, b in zip(fa, fb)) / len(fa)


def train_step(G, D, opt_g, opt_d, rgb, lam=5.0):
    gray = rgb.mean(1, keepdim=True)
    fake = G(gray)
    real_score, _ = D(rgb)
    fake_score, _ = D(fake.detach())
    loss_d = F.relu(1 - real_score).mean() + F.relu(1 + fake_score).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    _, real_feats = D(rgb)
    score, fake_feats = D(fake)
    loss_g = -score.mean() + lam * feature_matching(fake_feats, real_feats)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    return loss_d.item(), loss_g.item()


# --- driver ---
G, D = Colorizer(), FeatureDiscriminator()
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
for _ in range(2):
    print(train_step(G, D, og, od, torch.rand(2, 3, 16, 16)))
