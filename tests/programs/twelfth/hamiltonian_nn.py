"""Hamiltonian neural network trained through a differentiable symplectic rollout."""
import torch
from torch import nn

Tensor = torch.Tensor


class Potential(nn.Module):
    def __init__(self, dof, width=24):
        super().__init__()
        self.a = nn.Linear(dof, width)
        self.b = nn.Linear(width, 1)

    def forward(self, q):
        return self.b(nn.functional.softplus(self.a(q))).squeeze(-1)


class Phase:
    def __init__(self, q: Tensor, p: Tensor):
        self.q, self.p = q, p

    def kick(self, force, h):
        self.p.add_(force, alpha=h)  # BUG
        return self

    def drift(self, velocity, h):
        self.q = self.q + h * velocity
        return self

    def snapshot(self):
        return torch.cat([self.q, self.p], -1)


class HNN(nn.Module):
    def __init__(self, dof):
        super().__init__()
        self.V = Potential(dof)
        self.log_m = nn.Parameter(torch.zeros(dof))

    def force(self, q):
        if not q.requires_grad:
            q = q.requires_grad_()
        return -torch.autograd.grad(self.V(q).sum(), q, create_graph=True)[0]

    def velocity(self, p):
        return p * torch.exp(-self.log_m)

    def energy(self, q, p):
        return self.V(q) + 0.5 * (p.square() * torch.exp(-self.log_m)).sum(-1)

    def rollout(self, q0, p0, h, steps):
        ph = Phase(q0.clone(), p0.clone())
        traj = []
        for _ in range(steps):
            ph.kick(self.force(ph.q), h / 2)
            ph.drift(self.velocity(ph.p), h)
            ph.kick(self.force(ph.q), h / 2)
            traj.append(ph.snapshot())
        return torch.stack(traj, 1)


def spring_truth(q0, p0, h, steps, k=1.5):
    q, p = q0.clone(), p0.clone()
    out = torch.empty(len(q), steps, 2 * q.shape[1])
    for t in range(steps):
        p -= 0.5 * h * k * q
        q += h * p
        p -= 0.5 * h * k * q
        out[:, t] = torch.cat([q, p], -1)
    return out


def train(model, epochs, batch=12, h=0.1, steps=5):
    opt = torch.optim.Adam(model.parameters(), 3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for ep in range(epochs):
        q0, p0 = torch.randn(batch, 2), torch.randn(batch, 2)
        pred = model.rollout(q0, p0, h, steps)
        loss = (pred - spring_truth(q0.detach(), p0, h, steps)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(ep, loss.item())


# --- driver ---
torch.manual_seed(35)
train(HNN(2), 3)
