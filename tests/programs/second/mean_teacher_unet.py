"""Semi-supervised U-Net segmentation with a mean teacher and CutMix consistency."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleConv(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        )


class AttentionGate(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.g, self.x = nn.Conv2d(ch, ch // 2, 1), nn.Conv2d(ch, ch // 2, 1)
        self.psi = nn.Conv2d(ch // 2, 1, 1)

    def forward(self, gate, skip):
        a = self.g(gate)
        a += self.x(skip)
        a = self.psi(F.relu_(a)).sigmoid_()
        return skip * a


class UNet(nn.Module):
    def __init__(self, cin=1, classes=3, widths=(8, 16)):
        super().__init__()
        self.down = nn.ModuleList()
        for w in widths:
            self.down.append(DoubleConv(cin, w))
            cin = w
        self.mid = DoubleConv(widths[-1], widths[-1])
        self.up, self.gates, self.dec = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for w in reversed(widths):
            self.up.append(nn.ConvTranspose2d(cin, w, 2, 2))
            self.gates.append(AttentionGate(w))
            self.dec.append(DoubleConv(2 * w, w))
            cin = w
        self.out = nn.Conv2d(cin, classes, 1)

    def forward(self, x):
        skips = []
        for d in self.down:
            x = d(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.mid(x)
        for up, gate, dec in zip(self.up, self.gates, self.dec):
            x = F.relu(up(x), inplace=True)
            s = skips.pop()
            x = dec(torch.cat([x, gate(x, s)], dim=1))
        return self.out(x)


def dice_loss(logits, target, eps=1.0):
    p = logits.softmax(1)
    onehot = torch.zeros_like(p).scatter_(1, target[:, None], 1.0)
    inter = (p * onehot).sum((2, 3))
    return 1 - ((2 * inter + eps) / (p.sum((2, 3)) + onehot.sum((2, 3)) + eps)).mean()


def cutmix_(x, target, conf, size=4):
    b, _, h, w = x.shape
    perm = torch.randperm(b)
    i, j = int(torch.randint(0, h - size, (1,))), int(torch.randint(0, w - size, (1,)))
    box = (..., slice(i, i + size), slice(j, j + size))
    x[box] = x[perm][box]
    target[box] = target[perm][box]
    conf[box] = conf[perm][box]
    return x, target, conf


class MeanTeacher:
    def __init__(self, student, decay=0.99, threshold=0.4):
        self.student = student
        self.teacher = copy.deepcopy(student).requires_grad_(False)
        self.decay, self.threshold = decay, threshold
        self.opt = torch.optim.SGD(student.parameters(), lr=0.01, momentum=0.9)
        self.it = 0

    @torch.no_grad()
    def pseudo(self, x):
        p = self.teacher(x).softmax(1)
        conf, label = p.max(1)
        return label, conf

    def step(self, xl, yl, xu):
        label, conf = self.pseudo(xu)
        xs, label, conf = cutmix_(xu.clone(), label, conf)
        xs.add_(0.1 * torch.randn_like(xs))
        logits_l, logits_u = self.student(xl), self.student(xs)
        sup = F.cross_entropy(logits_l, yl) + dice_loss(logits_l, yl)
        ce = F.cross_entropy(logits_u, label, reduction="none")
        ce.mul_((conf > self.threshold).float())
        loss = sup + ce.mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.update_teacher()
        return loss.item()

    @torch.no_grad()
    def update_teacher(self):
        self.it += 1
        d = min(self.decay, self.it / (self.it + 1))
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.mul_(d).add_(s, alpha=1 - d)


# --- driver ---
torch.manual_seed(0)
mt = MeanTeacher(UNet())
for _ in range(2):
    mt.step(torch.randn(2, 1, 16, 16), torch.randint(0, 3, (2, 16, 16)), torch.randn(2, 1, 16, 16))
