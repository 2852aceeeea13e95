"""Differentiable bouncing bodies; find initial velocities that reach a goal."""
import torch
from torch import nn


class World:
    gravity = -9.81

    def __init__(self, radius=0.1, restitution=0.8, dt=0.02):
        self.radius, self.e, self.dt = radius, restitution, dt

    def integrate(self, pos, vel):
        acc = torch.zeros_like(vel)
        acc[:, 1] = self.gravity
        acc -= 0.05 * vel
        vel = vel + self.dt * acc
        return pos + self.dt * vel, vel

    def floor(self, pos, vel):
        hit = pos[:, 1] < self.radius
        bounced = vel.clone()
        bounced[:, 1] = torch.where(hit, -self.e * vel[:, 1], vel[:, 1])
        lifted = pos.clone()
        lifted[:, 1].clamp_(min=self.radius)
        return lifted, bounced

    def collide(self, pos, vel):
        n = len(pos)
        i, j = torch.triu_indices(n, n, 1)
        d = pos[i] - pos[j]
        dist = d.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        normal = d / dist
        overlap = (2 * self.radius - dist).clamp_(min=0)
        push = 50.0 * overlap * normal * self.dt
        impulse = torch.zeros_like(vel)
        impulse.index_add_(0, i, push)
        impulse.index_add_(0, j, -push)
        return vel + impulse

    def step(self, pos, vel):
        vel = self.collide(pos, vel)
        return self.floor(*self.integrate(pos, vel))


class Thrower(nn.Module):
    def __init__(self, n, speed_limit=5.0):
        super().__init__()
        self.v0 = nn.Parameter(torch.randn(n, 2).mul_(0.5).add_(1.0))
        self.limit = speed_limit

    @torch.no_grad()
    def project(self):
        speed = self.v0.norm(dim=1, keepdim=True)
        self.v0.mul_((self.limit / speed).clamp_(max=1.0))


class Recorder:
    def __init__(self, steps, n):
        self.path = torch.zeros(steps, n, 2)
        self.contacts = torch.zeros(n, dtype=torch.long)

    def log(self, t, pos, radius):
        self.path[t] = pos.detach()
        self.contacts += (pos.detach()[:, 1] <= radius).long()


def rollout(world, pos, vel, steps, recorder=None):
    energy = torch.zeros(())
    for t in range(steps):
        pos, vel = world.step(pos, vel)
        energy += vel.square().sum()
        if recorder is not None:
            recorder.log(t, pos, world.radius)
    return pos, energy / steps


class Gauss:
    """Momentum descent with gradient noise, in place on the parameters."""

    def __init__(self, params, lr, beta=0.9, noise=0.0):
        self.params = list(params)
        self.buf = [torch.zeros_like(p) for p in self.params]
        self.lr, self.beta, self.noise = lr, beta, noise

    @torch.no_grad()
    def step(self):
        for p, m in zip(self.params, self.buf):
            p.grad.add_(torch.randn_like(p.grad), alpha=self.noise)
            m.mul_(self.beta).add_(p.grad)
            p.sub_(m, alpha=self.lr)
            p.grad.zero_()


def optimise(world, thrower, start, goal, iters, steps):
    opt = Gauss(thrower.parameters(), lr=0.05, noise=1e-3)
    for _ in range(iters):
        rec = Recorder(steps, len(start))
        final, energy = rollout(world, start, thrower.v0, steps, rec)
        loss = (final - goal).square().sum() + 1e-3 * energy
        loss.backward()
        opt.step()
        thrower.project()
    return loss.item(), rec


# --- driver ---
torch.manual_seed(0)
start = torch.rand(3, 2) * 0.3 + 0.1
optimise(World(), Thrower(3), start, torch.tensor([1.0, 0.1]), iters=2, steps=6)
