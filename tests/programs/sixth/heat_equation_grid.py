import torch
import torch.nn as nn


class Stencil:
    """Five-point Laplacian on a padded field."""

    def __init__(self, dx):
        self.dx = dx

    def __call__(self, u):
        lap = -4 * u[:, 1:-1, 1:-1]
        lap += u[:, :-2, 1:-1]
        lap += u[:, 2:, 1:-1]
        lap += u[:, 1:-1, :-2]
        lap += u[:, 1:-1, 2:]
        lap /= self.dx ** 2
        return lap


class DirichletMixin:
    def apply_bc(self, u, value=0.0):
        u[:, 0].fill_(value)
        u[:, -1].fill_(value)
        u[:, :, 0] = value
        u[:, :, -1] = value
        return u


class Solver(DirichletMixin):
    def __init__(self, n, nu, dt):
        self.stencil, self.nu, self.dt = Stencil(1.0 / (n - 1)), nu, dt

    def run(self, u0, steps):
        traj = torch.empty(steps + 1, *u0.shape)
        u = self.apply_bc(u0.clone())
        traj[0] = u
        for k in range(steps):
            u[:, 1:-1, 1:-1] += self.dt * self.nu * self.stencil(u)
            traj[k + 1].copy_(u)
        return traj


class FieldNet(DirichletMixin, nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, ch, 3, padding=1), nn.Tanh(), nn.Conv2d(ch, ch, 3, padding=1), nn.Tanh(), nn.Conv2d(ch, 1, 3, padding=1))

    def forward(self, u):
        du = self.net(u.unsqueeze(1)).squeeze(1)
        du += u
        return self.apply_bc(du)


class ResidualLoss(nn.Module):
    def __init__(self, solver, shape, momentum=0.9):
        super().__init__()
        self.solver = solver
        self.momentum = momentum
        self.register_buffer("weights", torch.ones(shape))

    def forward(self, u, nxt):
        res = (nxt - u)[:, 1:-1, 1:-1] / self.solver.dt
        res -= self.solver.nu * self.solver.stencil(u)
        loss = (self.weights.clone() * res.square()).mean()
        with torch.no_grad():
            mag = res.abs().mean(0)
            mag /= mag.mean() + 1e-8
            self.weights.mul_(self.momentum).add_(mag, alpha=1 - self.momentum)
        return loss


def gaussian_bumps(batch, n, k=2):
    lin = torch.linspace(0, 1, n)
    x, y = torch.meshgrid(lin, lin, indexing="ij")
    u = torch.zeros(batch, n, n)
    for b in range(batch):
        for _ in range(k):
            cx, cy = torch.rand(2)
            u[b].add_(((x - cx).square_() + (y - cy).square_()).mul_(-40).exp_())
    return u


def train(model, solver, u0, unroll=2, iters=1):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    truth = solver.run(u0, unroll)
    crit = ResidualLoss(solver, (u0.shape[1] - 2, u0.shape[2] - 2))
    for _ in range(iters):
        u, loss = truth[0], torch.zeros(())
        for k in range(unroll):
            nxt = model(u)
            loss += (nxt - truth[k + 1]).square().mean()
            loss += 1e-3 * crit(u, nxt)
            u = nxt
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
solver = Solver(8, nu=0.1, dt=0.01)
train(FieldNet(), solver, gaussian_bumps(2, 8), iters=2)
