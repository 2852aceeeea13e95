"""Semi-supervised segmentation: mean teacher, CutMix on the unlabelled half, confidence-thresholded targets."""
import copy
import math
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = 255


class DoubleConv(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
                         nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class TinyUNet(nn.Module):
    def __init__(self, classes, widths=(6, 12)):
        super().__init__()
        self.enc1, self.enc2 = DoubleConv(3, widths[0]), DoubleConv(widths[0], widths[1])
        self.reduce = nn.Conv2d(widths[1], widths[0], 1)
        self.dec, self.head = DoubleConv(widths[0], widths[0]), nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        up = F.interpolate(self.reduce(b), scale_factor=2, mode="bilinear", align_corners=False)
        up += a
        return self.head(self.dec(up))


class Teacher:
    def __init__(self, student, decay=0.99):
        self.net = copy.deepcopy(student).requires_grad_(False)
        self.decay, self.steps = decay, 0

    @torch.no_grad()
    def follow(self, student):
        self.steps += 1
        d = min(self.decay, 1 - 1 / (self.steps + 1))
        for t, s in zip(self.net.parameters(), student.parameters()):
            t.mul_(d).add_(s, alpha=1 - d)
        for t, s in zip(self.net.buffers(), student.buffers()):
            t.copy_(s)

    @torch.no_grad()
    def pseudo_label(self, x, threshold):
        confidence, label = self.net(x).softmax(1).max(1)
        label[confidence < threshold] = IGNORE
        return label

    @contextmanager
    def lent_to(self, student):
        """Evaluates the student's module with the averaged weights, then puts its own back."""
        own = [p.detach().clone() for p in student.parameters()]
        with torch.no_grad():
            for p, t in zip(student.parameters(), self.net.parameters()):
                p.copy_(t)
        try:
            yield student
        finally:
            with torch.no_grad():
                for p, o in zip(student.parameters(), own):
                    p.copy_(o)


def cutmix(images, labels):
    """Pastes a rectangle of a shuffled partner into copies of images and labels."""
    _, _, h, w = images.shape
    bh, bw = h // 2, w // 2
    r, c = int(torch.randint(0, h - bh + 1, ())), int(torch.randint(0, w - bw + 1, ()))
    order = torch.randperm(images.size(0))
    images, labels = images.clone(), labels.clone()
    images[:, :, r: r + bh, c: c + bw] = images[order, :, r: r + bh, c: c + bw]
    labels[:, r: r + bh, c: c + bw] = labels[order, r: r + bh, c: c + bw]
    return images, labels


def masked_ce(logits, labels):
    per_pixel = F.cross_entropy(logits, labels, ignore_index=IGNORE, reduction="none")
    valid = labels.ne(IGNORE)
    hard = per_pixel.detach() > 4.0
    per_pixel[hard] *= 0.5
    return per_pixel.sum() / valid.sum().clamp_(min=1)


def ramp(step, length, top):
    return top * math.exp(-5 * (1 - min(step / length, 1.0)) ** 2)


def train_step(student, teacher, opt, labelled, unlabelled, step, threshold=0.3):
    x, y = labelled
    pseudo = teacher.pseudo_label(unlabelled, threshold)
    mixed, targets = cutmix(unlabelled, pseudo)
    logits = student(torch.cat([x, mixed]))
    supervised, consistency = masked_ce(logits[: x.size(0)], y), masked_ce(logits[x.size(0):], targets)
    loss = supervised + ramp(step, 10, 1.0) * consistency
    opt.zero_grad()
    loss.backward()
    opt.step()
    teacher.follow(student)
    return supervised.item(), consistency.item()


def scenes(n, side=12):
    mask = torch.zeros(n, side, side, dtype=torch.long)
    for m in mask:
        r, c = torch.randint(0, side - 4, (2,)).tolist()
        m[r: r + 4, c: c + 4] = int(torch.randint(1, 3, ()))
    return torch.randn(n, 3, side, side) * 0.3 + mask.unsqueeze(1), mask


# --- driver ---
torch.manual_seed(8)
student = TinyUNet(3)
teacher, opt = Teacher(student), torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(4):
    print(train_step(student, teacher, opt, scenes(2), scenes(3)[0], step))
with teacher.lent_to(student) as net, torch.no_grad():
    print(net(scenes(1)[0]).argmax(1).float().mean())
