"""Self-distillation where the student's features are judged by the slow teacher's own classifier."""
import copy
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Outputs(NamedTuple):
    feats: torch.Tensor
    logits: torch.Tensor


class Net(nn.Module):
    def __init__(self, classes=5, width=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.GroupNorm(4, width), nn.ReLU(inplace=True),
                                   nn.Conv2d(width, width, 3, 2, 1), nn.ReLU(inplace=True))
        self.neck = nn.Linear(width, width)
        self.classifier = nn.Linear(width, classes)

    def forward(self, x):
        f = self.neck(self.trunk(x).mean((2, 3)))
        return Outputs(f, self.classifier(f))


class SlowTeacher:
    def __init__(self, student, decay=0.9):
        self.net = copy.deepcopy(student).requires_grad_(False).eval()
        self.decay = decay
        self.ticks = 0

    def predict(self, x):
        with torch.no_grad():
            return self.net(x)

    def judge(self, feats):
        return self.net.classifier(feats)

    def follow(self, student):
        self.ticks += 1
        decay = min(self.decay, self.ticks / (self.ticks + 9))
        with torch.no_grad():
            for t, s in zip(self.net.parameters(), student.parameters()):
                t.lerp_(s, 1 - decay)  # BUG


class DistillLoss(nn.Module):
    def __init__(self, temperature=3.0, alpha=0.5, beta=1.0):
        super().__init__()
        self.t, self.alpha, self.beta = temperature, alpha, beta

    def kd(self, student, teacher):
        p = F.log_softmax(student / self.t, -1)
        q = F.softmax(teacher / self.t, -1)
        return F.kl_div(p, q, reduction="batchmean") * self.t ** 2

    def forward(self, out, judged, ref, y):
        ce = F.cross_entropy(out.logits, y)
        return ce + self.alpha * self.kd(out.logits, ref.logits) + self.beta * F.mse_loss(judged, ref.logits)


class SelfDistiller:
    def __init__(self, net, lr=0.05):
        self.net, self.teacher, self.criterion = net, SlowTeacher(net), DistillLoss()
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.agreement = torch.zeros(2)

    def compute(self, x, y):
        ref = self.teacher.predict(x)
        noisy = x.clone()
        noisy[torch.rand(x.shape) < 0.1] = 0.0
        out = self.net(noisy)
        self.agreement[0] += (out.logits.argmax(-1) == ref.logits.argmax(-1)).sum()
        self.agreement[1] += len(x)
        loss = self.criterion(out, self.teacher.judge(out.feats), ref, y)
        self.teacher.follow(self.net)
        return loss

    def fit(self, loader):
        for x, y in loader:
            loss = self.compute(x, y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return (self.agreement[0] / self.agreement[1]).item()


# --- driver ---
torch.manual_seed(25)
data = [(torch.randn(8, 3, 12, 12), torch.randint(0, 5, (8,))) for _ in range(3)]
SelfDistiller(Net()).fit(data)
