"""SN-GAN on 2-D points with a hand-written spectral norm layer and hinge losses."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SNLinear(nn.Linear):
    def __init__(self, d_in, d_out, n_power=1):
        super().__init__(d_in, d_out)
        self.n_power = n_power
        self.register_buffer('u', F.normalize(torch.randn(d_out), dim=0))

    def power_iteration(self):
        with torch.no_grad():
            w = self.weight
            u = self.u
            for _ in range(self.n_power):
                v = F.normalize(torch.mv(w.t(), u), dim=0)
                u = F.normalize(torch.mv(w, v), dim=0)
            if self.training:
                self.u.copy_(u)  # BUG
        return v

    def forward(self, x):
        v = self.power_iteration()
        sigma = torch.dot(self.u, torch.mv(self.weight, v))
        return F.linear(x, self.weight / sigma, self.bias)


def mlp(sizes, layer, act, last=None):
    mods = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        mods += [layer(a, b), act()]
    mods.append(layer(sizes[-2], sizes[-1]))
    if last is not None:
        mods.append(last)
    return nn.Sequential(*mods)


class Critic(nn.Module):
    def __init__(self, dim=2, hidden=32):
        super().__init__()
        self.net = mlp([dim, hidden, hidden, 1], SNLinear, lambda: nn.LeakyReLU(0.2))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Sampler(nn.Module):
    def __init__(self, z_dim=4, hidden=32, dim=2):
        super().__init__()
        self.z_dim = z_dim
        self.net = mlp([z_dim, hidden, hidden, dim], nn.Linear, nn.ReLU)

    def forward(self, n):
        return self.net(torch.randn(n, self.z_dim))


def hinge_d(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def hinge_g(fake):
    return -fake.mean()


def ring(n, k=8, r=2.0):
    ang = torch.randint(0, k, (n,)).float() * (2 * torch.pi / k)
    pts = torch.stack([ang.cos(), ang.sin()], 1)
    pts.mul_(r).add_(torch.randn(n, 2), alpha=0.05)
    return pts


def requires_grad(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)


def train(G, D, steps=2, batch=32, n_critic=2):
    opt_g = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.0, 0.9))
    opt_d = torch.optim.Adam(D.parameters(), 1e-3, betas=(0.0, 0.9))
    for _ in range(steps):
        requires_grad(D, True)
        for _ in range(n_critic):
            real, fake = ring(batch), G(batch).detach()
            loss_d = hinge_d(D(real), D(fake))
            opt_d.zero_grad()
            loss_d.backward()
            opt_d.step()
        requires_grad(D, False)
        loss_g = hinge_g(D(G(batch)))
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
    return loss_d.item(), loss_g.item()


# --- driver ---
print(train(Sampler(), Critic()))
