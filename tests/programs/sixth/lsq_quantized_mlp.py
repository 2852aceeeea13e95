import torch
import torch.nn as nn
import torch.nn.functional as F


def ste_round(x):
    return x + (x.round() - x).detach()


def grad_scale(x, scale):
    return (x - x * scale).detach() + x * scale


class Observer(nn.Module):
    def __init__(self, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("lo", torch.tensor(float("inf")))
        self.register_buffer("hi", torch.tensor(float("-inf")))

    @torch.no_grad()
    def forward(self, x):
        lo, hi = x.aminmax()
        if torch.isinf(self.lo):
            self.lo.copy_(lo)
            self.hi.copy_(hi)
        else:
            self.lo.lerp_(lo, self.momentum)
            self.hi.lerp_(hi, self.momentum)

    def qparams(self, levels):
        scale = (self.hi - self.lo).clamp(min=1e-5) / levels
        zero = (-self.lo / scale).round()
        return scale, zero


class LSQ(nn.Module):
    def __init__(self, bits=4):
        super().__init__()
        self.qn, self.qp = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        self.step = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("ready", torch.zeros(1, dtype=torch.bool))

    def forward(self, w):
        if not self.ready:
            with torch.no_grad():
                self.step.copy_(2 * w.abs().mean() / self.qp ** 0.5)
                self.ready.fill_(True)
        s = grad_scale(self.step, (w.numel() * self.qp) ** -0.5)
        q = w / s
        q.clamp_(self.qn, self.qp)
        q = ste_round(q)
        q *= s
        return q


class FakeQuantAct(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.levels = 2 ** bits - 1
        self.observer = Observer()

    def forward(self, x):
        if self.training:
            self.observer(x)
        scale, zero = self.observer.qparams(self.levels)
        q = ste_round(x / scale)
        q += zero
        q.clamp_(0, self.levels)
        q -= zero
        return q * scale


class QLinear(nn.Linear):
    def __init__(self, *a, wbits=4, abits=8, **k):
        super().__init__(*a, **k)
        self.wq, self.aq = LSQ(wbits), FakeQuantAct(abits)

    def forward(self, x):
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)


class QMLP(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList(QLinear(a, b) for a, b in zip(dims[:-1], dims[1:]))

    def forward(self, x):
        for l in self.layers[:-1]:
            x = F.relu_(l(x))
        return self.layers[-1](x)

    @torch.no_grad()
    def export(self):
        out = []
        for l in self.layers:
            q = (l.weight / l.wq.step).round_().clamp_(l.wq.qn, l.wq.qp)
            out.append(q.to(torch.int8))
        return out


def qat(model, loader, lr=1e-2):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    model.train()
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    return model.eval().export()


# --- driver ---
torch.manual_seed(0)
qat(QMLP((6, 12, 3)), [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)])
