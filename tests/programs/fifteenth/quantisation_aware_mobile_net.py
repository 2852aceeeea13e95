"""Quantisation-aware training of a small depthwise network with range observers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Observer(nn.Module):
    """Moving-average range of a tensor."""

    def __init__(self, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("lo", torch.zeros(()))
        self.register_buffer("hi", torch.zeros(()))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def observe(self, x):
        rate = 1.0 if self.seen == 0 else self.momentum
        self.lo.lerp_(x.min(), rate)
        self.hi.lerp_(x.max(), rate)
        self.seen += 1

    def qparams(self, bits):
        levels = 2 ** bits - 1
        scale = (self.hi - self.lo).clamp(min=1e-6) / levels
        zero = torch.round(-self.lo / scale).clamp_(0, levels)
        return scale, zero, levels


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class FakeQuant(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.bits = bits
        self.observer = Observer()
        self.enabled = True

    def forward(self, x):
        if self.training:
            self.observer.observe(x.detach())
        if not self.enabled:
            return x
        scale, zero, levels = self.observer.qparams(self.bits)
        q = RoundSTE.apply(x / scale)
        q += zero
        q = q.clamp(0, levels)
        q -= zero
        return q * scale


class QConv(nn.Module):
    def __init__(self, cin, cout, k, fq=FakeQuant, **kw):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, padding=k // 2, bias=False, **kw)
        self.bn = nn.BatchNorm2d(cout)
        self.fq_w, self.fq_a = fq(), fq()

    def forward(self, x):
        c = self.conv
        y = F.conv2d(x, self.fq_w(c.weight), None, c.stride, c.padding, c.dilation, c.groups)
        return self.fq_a(F.relu6(self.bn(y), inplace=True))


def depthwise(cin, cout, stride=1):
    return nn.Sequential(QConv(cin, cin, 3, groups=cin, stride=stride), QConv(cin, cout, 1))


class QNet(nn.Module):
    def __init__(self, n_cls=4, width=8):
        super().__init__()
        self.fq_in = FakeQuant()
        self.features = nn.Sequential(QConv(3, width, 3), depthwise(width, 2 * width, 2), depthwise(2 * width, 2 * width))
        self.fc = nn.Linear(2 * width, n_cls)

    def forward(self, x):
        return self.fc(self.features(self.fq_in(x)).mean((2, 3)))


def set_fake_quant(model, on):
    for m in model.modules():
        if isinstance(m, FakeQuant):
            m.enabled = on


def two_crop_loss(model, x, y, consistency=0.5):
    a = model(x)
    b = model(x.flip(-1))
    ce = F.cross_entropy(a, y) + F.cross_entropy(b, y)
    return ce / 2 + consistency * F.mse_loss(a, b)


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = QNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(4):
        set_fake_quant(model, step >= 1)
        x = torch.rand(4, 3, 12, 12)
        x -= 0.5
        loss = two_crop_loss(model, x, torch.randint(0, 4, (4,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
