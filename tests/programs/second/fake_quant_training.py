"""Quantisation-aware training with a learned step size (LSQ)."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LSQFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, step, qmin, qmax):
        ctx.save_for_backward(x, step)
        ctx.bounds = (qmin, qmax)
        q = torch.round(x / step).clamp_(qmin, qmax)
        return q * step

    @staticmethod
    def backward(ctx, grad):
        x, step = ctx.saved_tensors
        qmin, qmax = ctx.bounds
        v = x / step
        low, high = v < qmin, v > qmax
        inside = ~(low | high)
        gx = grad * inside
        gs = torch.where(inside, torch.round(v) - v, v.clamp(qmin, qmax))
        return gx, (grad * gs).sum().view_as(step), None, None


class Quantizer(nn.Module):
    def __init__(self, bits=4, signed=True):
        super().__init__()
        self.qmin = -(2 ** (bits - 1)) if signed else 0
        self.qmax = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        self.step = nn.Parameter(torch.tensor(0.1))
        self.register_buffer("calibrated", torch.tensor(0))

    def forward(self, x):
        if self.calibrated == 0:
            with torch.no_grad():
                self.step.copy_(2 * x.abs().mean() / self.qmax ** 0.5)
                self.calibrated.fill_(1)
        return LSQFunction.apply(x, self.step, self.qmin, self.qmax)


class QuantLinear(nn.Linear):
    def __init__(self, i, o, bits=4):
        super().__init__(i, o)
        self.wq = Quantizer(bits)
        self.aq = Quantizer(bits, signed=False)

    def forward(self, x):
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)


class QuantBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1, self.fc2 = QuantLinear(dim, dim * 2), QuantLinear(dim * 2, dim)

    def forward(self, x):
        h = self.fc2(F.relu(self.fc1(x)))
        x += h  # BUG
        return F.relu(x)


class QuantMLP(nn.Module):
    def __init__(self, n_in, dim=16, depth=2, classes=3):
        super().__init__()
        self.stem = nn.Linear(n_in, dim)
        self.blocks = nn.Sequential(*[QuantBlock(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        h = torch.abs(self.stem(x))
        return self.head(self.blocks(h))


def param_groups(model, lr):
    steps = [p for n, p in model.named_parameters() if n.endswith("step")]
    rest = [p for n, p in model.named_parameters() if not n.endswith("step")]
    return [{"params": rest, "lr": lr}, {"params": steps, "lr": lr * 0.01}]


def train_epoch(model, batches, lr=0.01):
    opt = torch.optim.SGD(param_groups(model, lr), lr=lr, momentum=0.9)
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train_epoch(QuantMLP(5), [(torch.randn(8, 5), torch.randint(0, 3, (8,)))])
