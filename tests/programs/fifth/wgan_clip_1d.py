"""1D WGAN with weight clipping, spectral tracking and generator EMA."""
import torch
import torch.nn as nn

CLIP = 0.05
NCRITIC = 2
EMA = 0.9


class Critic(nn.Module):
    def __init__(self, h=16):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(1, h), nn.Linear(h, h), nn.Linear(h, 1)
        self.register_buffer('u', torch.randn(h))
        self.register_buffer('sigma', torch.ones(1))

    @torch.no_grad()
    def power_iteration(self):
        w = self.l2.weight
        v = w.t() @ self.u
        v /= v.norm() + 1e-9
        self.u.copy_(w @ v)
        self.sigma.fill_(self.u.norm())
        self.u /= self.sigma + 1e-9

    def forward(self, x):
        h = self.l1(x)
        h = nn.functional.leaky_relu_(h, 0.2)
        h = nn.functional.leaky_relu_(self.l2(h), 0.2)
        return self.l3(h)


class Generator(nn.Module):
    def __init__(self, z=3, h=16):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(nn.Linear(z, h), nn.ReLU(True), nn.Linear(h, h), nn.ReLU(True), nn.Linear(h, 1))

    def forward(self, n):
        out = self.net(torch.randn(n, self.z))
        out *= 2.0
        out += 1.0
        return out


def sample_data(n):
    x = torch.randn(n, 1)
    left = torch.rand(n, 1) < 0.5
    x[left] -= 3.0
    x[~left] *= 0.5
    return x


def clip_(net):
    with torch.no_grad():
        for p in net.parameters():
            p.clamp_(-CLIP, CLIP)


def ema_(avg, net):
    with torch.no_grad():
        for a, p in zip(avg, net.parameters()):
            a.mul_(EMA).add_(p, alpha=1 - EMA)


def train(iters, n=16):
    D, G = Critic(), Generator()
    avg = [p.detach().clone() for p in G.parameters()]
    od = torch.optim.RMSprop(D.parameters(), lr=1e-3)
    og = torch.optim.RMSprop(G.parameters(), lr=1e-3)
    for _ in range(iters):
        for _ in range(NCRITIC):
            clip_(D)
            loss = D(G(n).detach()).mean() - D(sample_data(n)).mean()
            od.zero_grad()
            loss.backward()
            od.step()
            D.power_iteration()
        g_loss = -D(G(n)).mean()
        og.zero_grad()
        g_loss.backward()
        og.step()
        ema_(avg, G)
    return D, G, avg


# --- driver ---
torch.manual_seed(0)
train(2)
