import functools
import operator

import torch
import torch.nn as nn
import torch.nn.functional as F


def grad_scale(x, scale):
    y = x * scale
    return (x - y).detach() + y


def round_pass(x):
    return (x.round() - x).detach() + x


class Quantizer(nn.Module):
    def __init__(self, bits, signed=True, per_channel=None):
        super().__init__()
        self.qn = -(2 ** (bits - 1)) if signed else 0
        self.qp = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        shape = (per_channel, 1, 1, 1) if per_channel else (1,)
        self.s = nn.Parameter(torch.ones(shape))
        self.per_channel = per_channel
        self.register_buffer("calibrated", torch.zeros((), dtype=torch.bool))

    @torch.no_grad()
    def calibrate(self, x):
        stat = x.abs().mean(dim=(1, 2, 3), keepdim=True) if self.per_channel else x.abs().mean()
        self.s.copy_(stat * 2 / self.qp ** 0.5)
        self.calibrated.fill_(True)

    def forward(self, x):
        if not self.calibrated:
            self.calibrate(x.detach())
        g = 1.0 / (self.qp * x.numel()) ** 0.5
        s = grad_scale(self.s, g)
        q = round_pass((x / s).clamp(self.qn, self.qp))
        return q * self.s


class QConv(nn.Conv2d):
    def __init__(self, *args, wbits=4, abits=4, **kw):
        super().__init__(*args, **kw)
        self.wq = Quantizer(wbits, per_channel=self.out_channels)
        self.aq = Quantizer(abits, signed=False)

    def forward(self, x):
        return F.conv2d(self.aq(x), self.wq(self.weight), self.bias, self.stride, self.padding)


class QNet(nn.Module):
    def __init__(self, ch=8, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True))
        self.q1 = QConv(ch, ch, 3, padding=1)
        self.q2 = QConv(ch, ch * 2, 3, stride=2, padding=1)
        self.bn1, self.bn2 = nn.BatchNorm2d(ch), nn.BatchNorm2d(ch * 2)
        self.fc = nn.Linear(ch * 2, classes)

    def forward(self, x):
        x = self.stem(x)
        x = F.relu_(self.bn1(self.q1(x)))
        x = F.relu_(self.bn2(self.q2(x)))
        return self.fc(x.mean((2, 3)))

    def quantizers(self):
        return (m for m in self.modules() if isinstance(m, Quantizer))

    def bound_scales(self, lo=1e-4):
        with torch.no_grad():
            for q in self.quantizers():
                q.s.clamp_(min=lo)  # BUG

    def scale_penalty(self):
        return functools.reduce(operator.add, (q.s.log().pow(2).mean() for q in self.quantizers()))


class QATLoop:
    def __init__(self, net, lr=0.01, scale_lr=1e-3, reg=1e-4):
        scales = [q.s for q in net.quantizers()]
        ids = {id(s) for s in scales}
        rest = [p for p in net.parameters() if id(p) not in ids]
        self.net, self.reg = net, reg
        self.opt = torch.optim.SGD([{"params": rest}, {"params": scales, "lr": scale_lr}], lr=lr, momentum=0.9)

    def step(self, x, y):
        logits = self.net(x)
        loss = F.cross_entropy(logits, y) + self.reg * self.net.scale_penalty()
        self.net.bound_scales()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
loop = QATLoop(QNet())
for _ in range(2):
    loop.step(torch.rand(4, 1, 8, 8), torch.randint(0, 4, (4,)))
