"""Latent dynamics with layers of bounded Lipschitz constant (power iteration), trained on multi-step rollouts."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def unit(v, eps=1e-8):
    return v / (v.norm() + eps)


class BoundedLinear(nn.Module):
    """Linear map with its largest singular value held at most at `bound`."""

    def __init__(self, n_in, n_out, bound=1.0, iters=1):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_out, n_in))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.orthogonal_(self.weight, gain=1.5)
        self.bound, self.iters = bound, iters
        self.register_buffer("left", unit(torch.randn(n_out)))

    def spectral(self):
        w = self.weight.detach()
        u = self.left
        for _ in range(self.iters):
            v = unit(w.t() @ u)
            u = unit(w @ v)
        if self.training:
            self.left.copy_(u)  # BUG
        return torch.dot(self.left, self.weight @ v)

    def forward(self, x):
        factor = self.bound / self.spectral().clamp_min(self.bound)
        return F.linear(x, self.weight * factor, self.bias)


class ResidualDynamics(nn.Module):
    def __init__(self, state, control, width=24, dt=0.1):
        super().__init__()
        self.enter = BoundedLinear(state + control, width)
        self.leave = BoundedLinear(width, state)
        self.dt = dt

    def forward(self, z, u):
        h = F.softplus(self.enter(torch.cat([z, u], -1)))
        return z + self.dt * self.leave(h)


class LatentModel(nn.Module):
    def __init__(self, obs, control, state=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(obs, 24), nn.Tanh(), nn.Linear(24, state))
        self.dynamics = ResidualDynamics(state, control)
        self.decode = nn.Linear(state, obs)

    def imagine(self, z, controls):
        for u in controls.unbind(1):
            z = self.dynamics(z, u)
            yield z

    def loss(self, obs, controls, discount=0.9):
        z = self.encode(obs[:, 0])
        total, weight = F.mse_loss(self.decode(z), obs[:, 0]), 1.0
        for t, z in enumerate(self.imagine(z, controls), start=1):
            weight *= discount
            total = total + weight * F.mse_loss(self.decode(z), obs[:, t])
        return total


def pendulum(n, steps, seed):
    gen = torch.Generator().manual_seed(seed)
    theta, omega = torch.rand(n, generator=gen) * 6 - 3, torch.zeros(n)
    controls = torch.randn(n, steps, 1, generator=gen)
    frames = []
    for t in range(steps + 1):
        frames.append(torch.stack([theta.cos(), theta.sin(), omega], -1))
        if t < steps:
            omega = omega + 0.1 * (controls[:, t, 0] - theta.sin())
            theta = theta + 0.1 * omega
    return torch.stack(frames, 1), controls


def train(model, epochs=2, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for e in range(epochs):
        obs, controls = pendulum(16, 5, seed=e)
        opt.zero_grad(set_to_none=True)
        loss = model.loss(obs, controls)
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
model = LatentModel(3, 1)
print(train(model))
