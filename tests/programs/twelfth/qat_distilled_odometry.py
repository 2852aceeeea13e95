"""Quantisation aware distillation of a visual odometry regressor; observers with moving ranges."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def ste_round(x):
    return x + (x.round() - x).detach()


class Observer(nn.Module):
    def __init__(self, bits, decay=0.9):
        super().__init__()
        self.levels, self.decay = 2**bits - 1, decay
        self.register_buffer("lo", torch.zeros(()))
        self.register_buffer("hi", torch.zeros(()))

    @torch.no_grad()
    def observe(self, x):
        lo, hi = x.aminmax()
        if self.hi == self.lo:
            self.lo.copy_(lo)
            self.hi.copy_(hi)
        else:
            self.lo.mul_(self.decay).add_(lo, alpha=1 - self.decay)
            self.hi.mul_(self.decay).add_(hi, alpha=1 - self.decay)

    def forward(self, x):
        if self.training:
            self.observe(x)
        scale = ((self.hi - self.lo) / self.levels).clamp_(min=1e-8)
        zero = (-self.lo / scale).round_()
        q = ste_round(x / scale)
        q += zero
        return (q.clamp(0, self.levels) - zero) * scale


class QConv(nn.Conv2d):
    def __init__(self, *args, bits=8, **kw):
        super().__init__(*args, **kw)
        self.act = Observer(bits)
        self.bits = bits

    def quant_weight(self):
        top = self.weight.detach().abs().amax((1, 2, 3), keepdim=True)
        step = top.div_(2 ** (self.bits - 1) - 1).clamp_(min=1e-8)
        return ste_round(self.weight / step) * step

    def forward(self, x):
        return self._conv_forward(self.act(x), self.quant_weight(), self.bias)


def tower(conv, w):
    return nn.Sequential(
        conv(2, w, 5, stride=2, padding=2), nn.ReLU6(inplace=True),
        conv(w, 2 * w, 3, stride=2, padding=1), nn.ReLU6(inplace=True),
        conv(2 * w, 2 * w, 3, padding=1), nn.ReLU6(inplace=True),
    )


class Odometry(nn.Module):
    def __init__(self, conv, w):
        super().__init__()
        self.tower = tower(conv, w)
        self.embed = nn.Linear(2 * w, 8)
        self.rot, self.pos = nn.Linear(8, 3), nn.Linear(8, 3)

    def forward(self, a, b):
        h = self.embed(self.tower(torch.cat([a, b], 1)).mean((-2, -1)))
        return torch.cat([self.rot(h), self.pos(h)], -1), h


def hint_loss(student, teacher):
    s, t = F.normalize(student, dim=1), F.normalize(teacher, dim=1)
    ss, tt = s @ s.T, t @ t.T
    ss.fill_diagonal_(0)
    tt.fill_diagonal_(0)
    return (ss - tt).square().mean()


def motion_pairs(n, size, k):
    for _ in range(k):
        a = torch.rand(n, 1, size, size)
        shift = torch.randint(-2, 3, (n, 2))
        b = torch.stack([img.roll(s.tolist(), (-2, -1)) for img, s in zip(a, shift)])
        b.add_(torch.randn_like(b), alpha=0.01).clamp_(0, 1)
        pose = torch.zeros(n, 6)
        pose[:, 3:5] = shift / 2.0
        yield a, b, pose


def distil(teacher, student, pairs, w_hint=1.0, w_soft=0.5, lr=2e-3):
    teacher.eval()
    opt = torch.optim.Adam(student.parameters(), lr)
    for a, b, pose in pairs:
        with torch.no_grad():
            tp, th = teacher(a, b)
            trust = (tp - pose).square().sum(1).neg_().exp_()
        sp, sh = student(a, b)
        soft = (trust * (sp - tp).square().sum(1)).mean()
        loss = F.smooth_l1_loss(sp, pose) + w_soft * soft + w_hint * hint_loss(sh, th)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(58)
teacher, student = Odometry(nn.Conv2d, 6), Odometry(QConv, 4)
print(list(distil(teacher, student, motion_pairs(6, 12, 4))))
