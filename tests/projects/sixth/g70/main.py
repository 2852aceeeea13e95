"""Feature distillation with progressive freezing (trainer style)."""
import copy
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


def block(i, o):
    return nn.Sequential(OrderedDict([
        ("conv", nn.Conv1d(i, o, 3, padding=1)),
        ("bn", nn.BatchNorm1d(o)),
        ("act", nn.ReLU(inplace=True)),
    ]))


class Backbone(nn.Module):
    def __init__(self, width, depth=3, ncls=3):
        super().__init__()
        dims = [2] + [width] * depth
        self.blocks = nn.ModuleList(block(a, b) for a, b in zip(dims, dims[1:]))
        self.fc = nn.Linear(width, ncls)

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return self.fc(x.mean(-1))


class Tap:
    """collects pre-activation outputs; they are overwritten by the inplace ReLU, hence clone"""

    def __init__(self, net):
        self.feats = []
        for b in net.blocks:
            b.bn.register_forward_hook(self._hook)

    def _hook(self, m, i, o):
        self.feats += [o.clone()]

    def pop(self):
        f, self.feats = self.feats, []
        return f


class Trainer:
    def __init__(self, teacher, student):
        self.teacher, self.student = teacher.eval(), student
        for p in teacher.parameters():
            p.requires_grad_(False)
        self.tt, self.ts = Tap(teacher), Tap(student)
        self.adapt = nn.ModuleList(nn.Conv1d(6, 10, 1) for _ in student.blocks)
        self.opt = torch.optim.SGD([*student.parameters(), *self.adapt.parameters()], 0.05, momentum=0.9)
        self.best, self.best_state = float("inf"), None

    def freeze_upto(self, k):
        for i, b in enumerate(self.student.blocks):
            for p in b.parameters():
                p.requires_grad = i >= k
                if i < k:
                    p.grad = None

    def step(self, x, y, T=2.0):
        with torch.no_grad():
            tl = self.teacher(x)
            tl /= T
            soft = tl.softmax(1)
        sl = self.student(x)
        loss = F.cross_entropy(sl, y)
        kd = F.kl_div((sl / T).log_softmax(1), soft, reduction="batchmean")
        loss += T * T * kd
        for a, fs, ft in zip(self.adapt, self.ts.pop(), self.tt.pop()):
            d = a(fs)
            d -= ft.relu_()
            loss = loss + 0.1 * d.pow(2).mean()
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        return loss.item()

    def checkpoint(self, loss):
        if loss < self.best:
            self.best = loss
            self.best_state = copy.deepcopy(self.student.state_dict())
        elif loss > 1.5 * self.best:
            self.student.load_state_dict(self.best_state)


def make(n):
    y = torch.randint(0, 3, (n,))
    t = torch.linspace(0, 6.28, 12)
    x = torch.stack([torch.sin(t * (k + 1)) for k in y.tolist()])
    x = torch.stack([x, x.cumsum(1)], 1)
    x += 0.3 * torch.randn_like(x)
    return x, y


if __name__ == "__main__":
    torch.manual_seed(70)
    torch.set_num_threads(1)
    tr = Trainer(Backbone(10), Backbone(6))
    for ep in range(4):
        tr.freeze_upto(max(0, ep - 1))
        losses = [tr.step(*make(24)) for _ in range(4)]
        tr.checkpoint(losses[-1])
        print(ep, [round(l, 4) for l in losses])
