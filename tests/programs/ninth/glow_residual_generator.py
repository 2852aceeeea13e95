import torch
import torch.nn as nn
import torch.nn.functional as F

DEFAULTS = {"style_dim": 8, "base": 8, "n_res": 2, "slope": 0.2}


class AdaIN(nn.Module):
    def __init__(self, ch, style_dim):
        super().__init__()
        self.affine = nn.Linear(style_dim, 2 * ch)

    def forward(self, x, style):
        gamma, beta = self.affine(style)[..., None, None].chunk(2, dim=1)
        mu = x.mean((2, 3), keepdim=True)
        sd = x.var((2, 3), keepdim=True).add(1e-5).sqrt()
        return (1 + gamma) * (x - mu) / sd + beta


class ResBlock(nn.Module):
    def __init__(self, ch, style_dim, slope):
        super().__init__()
        self.slope = slope
        self.ada1, self.ada2 = AdaIN(ch, style_dim), AdaIN(ch, style_dim)
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x, style):
        h = F.leaky_relu(self.ada1(x, style), self.slope, inplace=True)
        h = self.conv1(h)
        stat = h.pow(2).mean((1, 2, 3), keepdim=True)
        h = F.leaky_relu(h, self.slope, inplace=True)  # BUG
        h = h * torch.rsqrt(stat + 1e-6)
        return x + self.conv2(self.ada2(h, style))


class Mapping(nn.Module):
    def __init__(self, dim, depth=2):
        super().__init__()
        self.net = nn.Sequential(*[l for _ in range(depth) for l in (nn.Linear(dim, dim), nn.LeakyReLU(0.2, inplace=True))])

    def forward(self, z):
        return self.net(F.normalize(z, dim=1))


class Generator(nn.Module):
    def __init__(self, **overrides):
        super().__init__()
        cfg = {**DEFAULTS, **overrides}
        ch = cfg["base"]
        self.style_dim = cfg["style_dim"]
        self.mapping = Mapping(cfg["style_dim"])
        self.const = nn.Parameter(torch.randn(1, ch, 4, 4))
        self.blocks = nn.ModuleList(ResBlock(ch, cfg["style_dim"], cfg["slope"]) for _ in range(cfg["n_res"]))
        self.rgb = nn.Conv2d(ch, 3, 1)

    def forward(self, z):
        s = self.mapping(z)
        x = self.const.expand(z.size(0), -1, -1, -1)
        for blk in self.blocks:
            x = blk(x, s)
            x = F.interpolate(x, scale_factor=2)
        return torch.tanh(self.rgb(x))


def perceptual(a, b, scales=(1, 2, 4)):
    return sum(F.l1_loss(F.avg_pool2d(a, s), F.avg_pool2d(b, s)) for s in scales)


def invert(gen, target, steps=1, lr=0.05):
    z = torch.randn(target.size(0), gen.style_dim, requires_grad=True)
    opt = torch.optim.Adam([z, *gen.parameters()], lr=lr)
    for _ in range(steps):
        loss = perceptual(gen(z), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return z.detach(), loss.item()


# --- driver ---
torch.manual_seed(18)
G = Generator(base=6)
print(invert(G, torch.rand(2, 3, 16, 16) * 2 - 1)[1])
