"""Separable Hamiltonian network: latent positions and momenta from frames, integrated by leapfrog, then decoded."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Energy(nn.Module):
    def __init__(self, dim, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, width), nn.Softplus(), nn.Linear(width, 1))

    def forward(self, z):
        return self.net(z).sum()

    def slope(self, z):
        """dE/dz, itself differentiable."""
        return torch.autograd.grad(self(z), z, create_graph=True)[0]


class Leapfrog:
    def __init__(self, potential, kinetic, dt):
        self.V, self.T, self.dt = potential, kinetic, dt

    def kick(self, q, p, part=1.0):
        return p - part * self.dt * self.V.slope(q)

    def drift(self, q, p):
        q += self.dt * self.T.slope(p)  # BUG
        return q

    def __call__(self, q, p):
        p = self.kick(q, p, 0.5)
        q = self.drift(q, p)
        p = self.kick(q, p, 0.5)
        return q, p


class LatentHNN(nn.Module):
    def __init__(self, frame, dim=3, dt=0.1):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(2 * frame, 32), nn.Tanh(), nn.Linear(32, 2 * dim))
        self.dec = nn.Sequential(nn.Linear(dim, 32), nn.Tanh(), nn.Linear(32, frame))
        self.V, self.T = Energy(dim), Energy(dim)
        self.integrate = Leapfrog(self.V, self.T, dt)

    def encode(self, first, second):
        q, p = self.enc(torch.cat([first, second], -1)).chunk(2, -1)
        return q + 0.0, p + 0.0

    def energy(self, q, p):
        return self.V(q) + self.T(p)

    def rollout(self, first, second, steps):
        q, p = self.encode(first, second)
        frames, energies = [self.dec(q)], [self.energy(q, p)]
        for _ in range(steps):
            q, p = self.integrate(q, p)
            frames.append(self.dec(q))
            energies.append(self.energy(q, p))
        return torch.stack(frames, 1), torch.stack(energies)

    def loss(self, video, weight=1e-3):
        frames, energies = self.rollout(video[:, 0], video[:, 1], video.shape[1] - 1)
        return F.mse_loss(frames, video) + weight * (energies - energies[0]).square().mean()


def spring_video(n, steps, pixels=10):
    """A blob that swings on a line of pixels."""
    grid = torch.linspace(-1.5, 1.5, pixels)
    amp, phase = 0.5 + 0.5 * torch.rand(n, 1), 6.28 * torch.rand(n, 1)
    t = 0.3 * torch.arange(steps)
    x = amp * torch.sin(t + phase)
    return torch.exp(-4 * (grid - x.unsqueeze(-1)) ** 2)


def train(model, steps, lr=2e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for i in range(steps):
        loss = model.loss(spring_video(8, 5))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)
        opt.step()
        yield i, loss.item()


# --- driver ---
torch.manual_seed(0)
model = LatentHNN(10)
for i, value in train(model, 3):
    print(i, value)
