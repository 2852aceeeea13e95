"""Fluid surrogate model with a few hand-written autograd operations."""
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class ScaleField(Function):
    """Multiply a field by a constant."""

    @staticmethod
    def forward(ctx, field, factor):
        ctx.factor = factor
        ctx.mark_dirty(field)
        return field.mul_(factor)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class SoftLimiter(Function):
    """x / (1 + |x|), differentiated from its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x / (1 + x.abs())

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        d = x.abs()
        d += 1
        return grad / d.square_()


class ReversedGradient(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.weight, None


def laplacian(u):
    return u.roll(1, -1) + u.roll(-1, -1) + u.roll(1, -2) + u.roll(-1, -2) - 4 * u


class Stencil(nn.Module):
    def __init__(self, channels, viscosity=0.1):
        super().__init__()
        self.flux = nn.Conv2d(channels, channels, 3, padding=1, padding_mode="circular")
        self.react = nn.Conv2d(channels, channels, 1)
        self.viscosity = viscosity

    def forward(self, u):
        f = SoftLimiter.apply(self.flux(u))
        f += self.viscosity * laplacian(u)
        r = self.react(u)
        r = ScaleField.apply(r, 0.5)
        return u + f + r


class Surrogate(nn.Module):
    def __init__(self, channels=6, unroll=3):
        super().__init__()
        self.lift, self.lower = nn.Conv2d(1, channels, 1), nn.Conv2d(channels, 1, 1)
        self.stencil = Stencil(channels)
        self.unroll = unroll
        self.regime = nn.Linear(channels, 2)

    def forward(self, u0, adversarial=0.1):
        u = self.lift(u0)
        frames = u0.new_empty(u0.size(0), self.unroll, *u0.shape[-2:])
        for t in range(self.unroll):
            u = self.stencil(u)
            frames[:, t] = self.lower(u).squeeze(1)
        pooled = u.mean((2, 3))
        return frames, self.regime(ReversedGradient.apply(pooled, adversarial))


def simulate(u, steps, nu):
    """Reference explicit solver for the heat equation with a sink."""
    u = u.clone()
    out = []
    for _ in range(steps):
        u += nu * laplacian(u)
        u.clamp_(min=0.0)
        out.append(u.squeeze(1).clone())
    return torch.stack(out, 1)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Surrogate()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for step in range(3):
        u0 = torch.rand(4, 1, 8, 8)
        regime = torch.randint(0, 2, (4,))
        truth = torch.cat([simulate(u[None], 3, 0.05 + 0.1 * r) for u, r in zip(u0, regime.tolist())])
        frames, logits = net(u0)
        loss = nn.functional.mse_loss(frames, truth) + 0.1 * nn.functional.cross_entropy(logits, regime)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
