"""Semi supervised segmentation with a moving average teacher."""
import copy
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyUNet(nn.Module):
    def __init__(self, classes, width=4):
        super().__init__()
        self.enc1 = nn.Conv2d(3, width, 3, padding=1)
        self.enc2 = nn.Conv2d(width, 2 * width, 3, stride=2, padding=1)
        self.dec = nn.Conv2d(3 * width, width, 3, padding=1)
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        a = F.relu(self.enc1(x))
        b = F.relu(self.enc2(a))
        up = F.interpolate(b, scale_factor=2, mode="nearest")
        return self.out(F.relu(self.dec(torch.cat([a, up], 1))))


class MeanTeacher:
    def __init__(self, student, momentum):
        self.student = student
        self.teacher = copy.deepcopy(student)
        self.momentum = momentum
        self.step = 0

    @torch.no_grad()
    def sync(self):
        m = min(1 - 1 / (self.step + 2), self.momentum)
        for pt, ps in zip(self.teacher.parameters(), self.student.parameters()):
            pt.lerp_(ps, 1 - m)  # BUG
        self.step += 1

    def consistency(self, weak, strong):
        target = self.teacher(weak).softmax(1)
        pred = self.student(strong).softmax(1)
        return F.mse_loss(pred, target)


def jitter(x, amount, generator=None):
    return x + amount * torch.randn(x.shape, generator=generator)


class Trainer:
    def __init__(self, args):
        self.args = args
        self.net = TinyUNet(args.classes)
        self.mt = MeanTeacher(self.net, args.momentum)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=args.lr, momentum=0.9)

    def ramp(self):
        return min(1.0, (self.mt.step + 1) / self.args.ramp)

    def run_batch(self, labelled, masks, unlabelled):
        sup = F.cross_entropy(self.net(labelled), masks)
        cons = self.mt.consistency(jitter(unlabelled, 0.01), jitter(unlabelled, 0.2))
        loss = sup + self.ramp() * cons
        self.mt.sync()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return {"sup": sup.item(), "cons": cons.item()}


def parse(argv=()):
    p = argparse.ArgumentParser()
    p.add_argument("--classes", type=int, default=3)
    p.add_argument("--momentum", type=float, default=0.99)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--ramp", type=int, default=10)
    return p.parse_args(list(argv))


# --- driver ---
torch.manual_seed(2)
trainer = Trainer(parse())
for _ in range(2):
    x, u = torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8)
    trainer.run_batch(x, torch.randint(0, 3, (2, 8, 8)), u)
