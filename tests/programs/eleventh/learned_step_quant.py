"""Quantisation-aware training with per-channel steps: rounding by a custom Function, ranges by running estimates."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class RoundToGrid(Function):
    """Rounds to multiples of the step; outside the range the gradient is cut, inside it is scaled per channel."""

    @staticmethod
    def forward(ctx, x, step, low, high):
        q = (x / step).round().clamp(low, high)
        ctx.step, ctx.low, ctx.high = step, low, high
        ctx.save_for_backward(x)
        return q * step

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        level = x / ctx.step
        inside = (level >= ctx.low) & (level <= ctx.high)
        soft = 1 + 0.1 * torch.cos(2 * torch.pi * level)
        return grad * inside * soft, None, None, None


class Quantiser(nn.Module):
    def __init__(self, bits, channels, axis, signed=True, momentum=0.2):
        super().__init__()
        self.low = -(2 ** (bits - 1)) if signed else 0
        self.high = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        shape = [1, 1]
        shape[axis] = channels
        self.axis, self.momentum = axis, momentum
        self.register_buffer("step", torch.full(shape, 0.05))

    def forward(self, x):
        return RoundToGrid.apply(x, self.step, self.low, self.high)

    @torch.no_grad()
    def track(self, x):
        top = x.abs().amax(dim=1 - self.axis, keepdim=True).clamp_min(1e-5)
        self.step.lerp_(top / self.high, self.momentum)  # BUG silent


class QLinear(nn.Linear):
    def __init__(self, n_in, n_out, wbits=4, abits=8):
        super().__init__(n_in, n_out)
        self.wq = Quantiser(wbits, n_out, axis=0)
        self.aq = Quantiser(abits, n_in, axis=1)
        self.seen = None

    def forward(self, x):
        self.seen = x.detach()
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)

    def calibrate(self):
        self.wq.track(self.weight)
        self.aq.track(self.seen)
        self.seen = None


class QNet(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList([QLinear(i, o) for i, o in zip(dims, dims[1:])])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.hardswish(layer(x))
        return self.layers[-1](x)


class Session:
    """One training session; the calibration goes with the evaluation of the loss."""

    def __init__(self, net, lr=1e-2):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)

    def measure(self, x, y):
        loss = F.mse_loss(self.net(x), y)
        for layer in self.net.layers:
            layer.calibrate()
        return loss

    def fit(self, batches):
        for x, y in batches:
            loss = self.measure(x, y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()


def friedman(n):
    x = torch.rand(n, 5)
    y = 10 * torch.sin(torch.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return x, (y[:, None] - 14) / 5


# --- driver ---
torch.manual_seed(0)
net = QNet([5, 24, 24, 1])
print(Session(net).fit(friedman(32) for _ in range(4)))
