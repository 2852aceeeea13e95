"""Mean-teacher semi-supervised segmentation with confidence masks and distillation."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def block(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class MiniUNet(nn.Module):
    def __init__(self, n_classes=3, c=6):
        super().__init__()
        self.e1, self.e2, self.mid = block(1, c), block(c, c * 2), block(c * 2, c * 2)
        self.d1 = block(c * 3, c)
        self.out = nn.Conv2d(c, n_classes, 1)
        self.drop = nn.Dropout2d(0.1)

    def forward(self, x):
        s1 = self.e1(x)
        h = self.e2(F.max_pool2d(s1, 2))
        h = h + self.drop(self.mid(h))
        h = F.interpolate(h, scale_factor=2, mode='bilinear', align_corners=False)
        return self.out(self.d1(torch.cat([s1, h], 1)))


class ConfusionMeter:
    def __init__(self, k):
        self.mat = torch.zeros(k, k, dtype=torch.long)

    def update(self, logits, y):
        k = self.mat.size(0)
        pred = logits.detach().argmax(1)
        keep = y >= 0
        self.mat += torch.bincount(y[keep] * k + pred[keep], minlength=k * k).view(k, k)

    def miou(self):
        inter = self.mat.diag().float()
        union = self.mat.sum(0) + self.mat.sum(1) - self.mat.diag()
        return (inter / union.clamp(min=1)).mean().item()


def dice_loss(logits, y, ignore=-1, eps=1.0):
    valid = (y != ignore)
    safe_y = y.clone()
    safe_y[~valid] = 0
    onehot = F.one_hot(safe_y, logits.size(1)).permute(0, 3, 1, 2).float()
    onehot *= valid.unsqueeze(1)
    p = logits.softmax(1) * valid.unsqueeze(1)
    num = 2 * (p * onehot).sum(dim=(0, 2, 3)) + eps
    den = (p + onehot).sum(dim=(0, 2, 3)) + eps
    return 1 - (num / den).mean()


class MeanTeacher:
    def __init__(self, student, decay=0.99, threshold=0.4, rampup=10, lr=1e-2):
        self.student, self.teacher = student, copy.deepcopy(student)
        for p in self.teacher.parameters():
            p.requires_grad_(False)
        self.decay, self.threshold, self.rampup, self.t = decay, threshold, rampup, 0
        self.opt = torch.optim.SGD(student.parameters(), lr=lr, momentum=0.9)
        self.meter = ConfusionMeter(3)

    @torch.no_grad()
    def pseudo(self, x):
        prob = self.teacher(x).softmax(1)
        conf, label = prob.max(1)
        label[conf < self.threshold] = -1
        prob.clamp_(1e-4, 1).div_(prob.sum(1, keepdim=True))
        return prob, label

    @torch.no_grad()
    def update_teacher(self):
        d = min(self.decay, 1 - 1 / (self.t + 1))
        for tp, sp in zip(self.teacher.parameters(), self.student.parameters()):
            tp.data.mul_(d).add_(sp.data, alpha=1 - d)
        for tb, sb in zip(self.teacher.buffers(), self.student.buffers()):
            tb.copy_(sb)

    def step(self, xl, yl, xu):
        noisy = xu + 0.1 * torch.randn_like(xu)
        logits_l, logits_u = self.student(xl), self.student(noisy)
        prob, label = self.pseudo(xu)
        sup = F.cross_entropy(logits_l, yl, ignore_index=-1) + dice_loss(logits_l, yl)
        cons = F.kl_div(F.log_softmax(logits_u, 1), prob, reduction='none').sum(1)
        cons = (cons * (label >= 0)).mean()
        w = math.exp(-5 * (1 - min(1.0, self.t / self.rampup)) ** 2)
        loss = sup + w * cons
        self.meter.update(logits_l, yl)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.t += 1
        self.update_teacher()
        return loss.item()


# --- driver ---
mt = MeanTeacher(MiniUNet())
for _ in range(2):
    y = torch.randint(-1, 3, (2, 12, 12))
    print(mt.step(torch.randn(2, 1, 12, 12), y, torch.randn(2, 1, 12, 12)), mt.meter.miou())
