"""Activated normalisation which overwrites its input and rebuilds what it needs from the output."""
import torch
from torch import nn
from torch.autograd.function import once_differentiable


class LeakyInPlace(torch.autograd.Function):
    """Leaky ReLU on the storage of x; the sign survives, so the output is enough for backward."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.mark_dirty(x)
        ctx.slope = slope
        x.mul_(torch.where(x > 0, 1.0, slope))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * torch.where(y > 0, 1.0, ctx.slope), None


class InstanceNormAct(nn.Module):
    def __init__(self, channels, slope=0.1, momentum=0.1, eps=1e-5):
        super().__init__()
        self.slope, self.momentum, self.eps = slope, momentum, eps
        self.gain = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("usual_std", torch.ones(channels))

    def forward(self, x):
        centred = x - x.mean(dim=(2, 3), keepdim=True)
        std = centred.square().mean(dim=(2, 3), keepdim=True).add(self.eps).sqrt()
        if self.training:
            with torch.no_grad():
                self.usual_std.lerp_(std.mean(0).flatten(), self.momentum)
        z = centred / std * self.gain.view(-1, 1, 1) + self.bias.view(-1, 1, 1)
        return LeakyInPlace.apply(z, self.slope)


class DenseUnit(nn.Module):
    """Each unit reads everything before it."""

    def __init__(self, c_in, growth):
        super().__init__()
        self.conv = nn.Conv2d(c_in, growth, 3, padding=1, bias=False)
        self.norm = InstanceNormAct(growth)

    def forward(self, maps):
        return self.norm(self.conv(torch.cat(maps, 1)))


class DenseStage(nn.Module):
    def __init__(self, c_in, growth, units):
        super().__init__()
        self.units = nn.ModuleList(DenseUnit(c_in + i * growth, growth) for i in range(units))
        self.out_channels = c_in + units * growth

    def forward(self, x):
        maps = [x]
        for unit in self.units:
            maps.append(unit(maps))
        return torch.cat(maps, 1)


class DenoisingNet(nn.Module):
    def __init__(self, channels=1, growth=4, units=3):
        super().__init__()
        self.stage = DenseStage(channels, growth, units)
        self.out = nn.Conv2d(self.stage.out_channels, channels, 1)

    def forward(self, noisy):
        return noisy - self.out(self.stage(noisy))


def stripes(n, side):
    phase = torch.rand(n, 1, 1, 1) * 6.28
    return torch.sin(torch.linspace(0, 9, side) + phase).expand(n, 1, side, side).contiguous()


def psnr(a, b):
    return -10 * torch.log10((a - b).square().mean()).item()


def train(net, steps, sigma=0.3, batch=4, side=12):
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for _ in range(steps):
        clean = stripes(batch, side)
        out = net(clean + sigma * torch.randn_like(clean))
        loss = nn.functional.mse_loss(out, clean)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield psnr(out.detach(), clean)


# --- driver ---
torch.manual_seed(6)
print(list(train(DenoisingNet(), 4)))
