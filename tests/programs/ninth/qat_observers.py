import torch
import torch.nn as nn
import torch.nn.functional as F


class FakeQuantSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero, qmin, qmax):
        q = torch.round(x / scale)
        q.add_(zero)
        ctx.save_for_backward(q.ge(qmin) & q.le(qmax))
        return q.clamp_(qmin, qmax).sub_(zero).mul_(scale)

    @staticmethod
    def backward(ctx, g):
        inside, = ctx.saved_tensors
        return g * inside, None, None, None, None


class MinMaxObserver(nn.Module):
    def __init__(self, momentum=0.1, symmetric=False, bits=8):
        super().__init__()
        self.momentum, self.symmetric = momentum, symmetric
        self.qmin, self.qmax = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if symmetric else (0, 2 ** bits - 1)
        self.register_buffer("lo", torch.tensor(0.0))
        self.register_buffer("hi", torch.tensor(0.0))
        self.register_buffer("fresh", torch.tensor(True))

    @torch.no_grad()
    def observe(self, x):
        lo, hi = x.min().clamp_(max=0), x.max().clamp_(min=0)
        if self.fresh:
            self.lo.copy_(lo)
            self.hi.copy_(hi)
            self.fresh.fill_(False)
        else:
            self.lo.lerp_(lo, self.momentum)
            self.hi.lerp_(hi, self.momentum)

    def qparams(self):
        if self.symmetric:
            bound = torch.maximum(self.hi, -self.lo)
            return (bound / self.qmax).clamp_(min=1e-8), torch.zeros(())
        scale = ((self.hi - self.lo) / (self.qmax - self.qmin)).clamp_(min=1e-8)
        return scale, (self.qmin - self.lo / scale).round_().clamp_(self.qmin, self.qmax)

    def forward(self, x):
        if self.training:
            self.observe(x)
        scale, zero = self.qparams()
        return FakeQuantSTE.apply(x, scale, zero, self.qmin, self.qmax)


class QLinear(nn.Linear):
    def __init__(self, i, o, bits):
        super().__init__(i, o)
        self.wq = MinMaxObserver(symmetric=True, bits=bits)
        self.aq = MinMaxObserver(bits=bits)

    def forward(self, x):
        y = F.linear(self.aq(x), self.wq(self.weight))
        y += self.bias
        return y


def convert(module, bits):
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            q = QLinear(child.in_features, child.out_features, bits)
            with torch.no_grad():
                q.weight.copy_(child.weight)
                q.bias.copy_(child.bias)
            setattr(module, name, q)
        else:
            convert(child, bits)
    return module


class Regressor(nn.Module):
    def __init__(self, d=5, h=12):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, h), nn.ReLU(inplace=True), nn.Linear(h, h), nn.ReLU(inplace=True))
        self.out = nn.Linear(h, 1)

    def forward(self, x):
        return self.out(self.trunk(x)).squeeze(-1)


@torch.no_grad()
def export_int8(layer):
    scale, _ = layer.wq.qparams()
    q = torch.empty_like(layer.weight, dtype=torch.int8)
    q.copy_((layer.weight / scale).round_().clamp_(-128, 127))
    return q, scale.item()


# --- driver ---
torch.manual_seed(13)
net = convert(Regressor(), bits=4)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(2):
    opt.zero_grad()
    F.mse_loss(net(torch.randn(8, 5)), torch.randn(8)).backward()
    opt.step()
print(export_int8(net.out)[0].shape)
