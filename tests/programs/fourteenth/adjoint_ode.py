"""Continuous-depth regression with the adjoint method: constant memory, hand-written Function."""
import torch
from torch import nn


def rk2_step(f, t, y, dt):
    mid = f(t + dt / 2, y + dt / 2 * f(t, y))
    return y + dt * mid


class AdjointSolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, field, steps, y0, *params):
        ctx.field, ctx.steps = field, steps
        dt = 1.0 / steps
        with torch.no_grad():
            y = y0
            for i in range(steps):
                y = rk2_step(field, i * dt, y, dt)
        ctx.save_for_backward(y, *params)
        return y

    @staticmethod
    def backward(ctx, grad_y):
        y1, *params = ctx.saved_tensors
        dt = 1.0 / ctx.steps
        y = y1.clone()
        adj = grad_y.clone()
        grads = [torch.zeros_like(p) for p in params]
        for i in reversed(range(ctx.steps)):
            t_end = (i + 1) * dt
            with torch.no_grad():
                y.copy_(rk2_step(ctx.field, t_end, y, -dt))
            with torch.enable_grad():
                leaf = y.detach().clone().requires_grad_()
                out = rk2_step(ctx.field, i * dt, leaf, dt)
                pulled = torch.autograd.grad(out, [leaf, *params], adj, allow_unused=True)
            adj.copy_(pulled[0])
            for total, piece in zip(grads, pulled[1:]):
                if piece is not None:
                    total += piece
        return None, None, adj, *grads


class Field(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim + 1, hidden)
        self.outer = nn.Linear(hidden, dim)
        with torch.no_grad():
            self.outer.weight.mul_(0.3)

    def forward(self, t, y):
        clock = y.new_full((y.size(0), 1), t)
        return self.outer(torch.tanh(self.inner(torch.cat([y, clock], 1))))


class AdjointODE(nn.Module):
    def __init__(self, field, steps=6):
        super().__init__()
        self.field, self.steps = field, steps

    def forward(self, y):
        return AdjointSolve.apply(self.field, self.steps, y, *self.field.parameters())


class ODERegressor(nn.Module):
    def __init__(self, d_in, dim=8, hidden=16):
        super().__init__()
        self.embed = nn.Linear(d_in, dim)
        self.ode = AdjointODE(Field(dim, hidden))
        self.read = nn.Linear(dim, 1)

    def forward(self, x):
        return self.read(self.ode(self.embed(x))).squeeze(1)


def friedman(n):
    x = torch.rand(n, 5)
    y = 10 * torch.sin(torch.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y -= y.mean()
    y /= y.std()
    return x, y


def train(model, steps, batch, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        x, y = friedman(batch)
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(5)
print(list(train(ODERegressor(5), 4, 24)))
