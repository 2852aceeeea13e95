"""Mean-teacher training with a warm-up decay schedule and weight averaging for evaluation."""
import copy
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelEMA:
    def __init__(self, model, decay=0.999, warmup=10):
        self.module = copy.deepcopy(model).eval()
        self.decay, self.warmup, self.updates = decay, warmup, 0
        for p in self.module.parameters():
            p.requires_grad_(False)

    def current_decay(self):
        return min(self.decay, (1 + self.updates) / (self.warmup + self.updates))

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = self.current_decay()
        src = model.state_dict()
        for k, v in self.module.state_dict().items():
            if v.dtype.is_floating_point:
                v.mul_(d).add_(src[k], alpha=1 - d)
            else:
                v.copy_(src[k])

    @contextmanager
    def swapped_into(self, model):
        backup = [p.detach().clone() for p in model.parameters()]
        with torch.no_grad():
            for p, e in zip(model.parameters(), self.module.parameters()):
                p.copy_(e)
        try:
            yield model
        finally:
            with torch.no_grad():
                for p, b in zip(model.parameters(), backup):
                    p.copy_(b)


class Tagger(nn.Module):
    def __init__(self, n_in, hid, tags):
        super().__init__()
        self.conv = nn.Conv1d(n_in, hid, 3, padding=1)
        self.bn = nn.BatchNorm1d(hid)
        self.out = nn.Conv1d(hid, tags, 1)

    def forward(self, x):
        h = F.relu(self.bn(self.conv(x)), inplace=True)
        return self.out(h)


class ConsistencyRamp:
    def __init__(self, peak, steps):
        self.peak, self.steps = peak, steps

    def __call__(self, step):
        t = 1 - min(step, self.steps) / self.steps
        return self.peak * float(torch.exp(torch.tensor(-5 * t * t)))


class MeanTeacher:
    def __init__(self, student, n_tags, ramp=ConsistencyRamp(1.0, 4), ignore=-100):
        self.student, self.n_tags, self.ignore = student, n_tags, ignore
        self.teacher = ModelEMA(student)
        self.ramp, self.step_no = ramp, 0
        self.opt = torch.optim.AdamW(student.parameters(), lr=1e-3)
        self.confusion = torch.zeros(n_tags, n_tags, dtype=torch.long)

    @staticmethod
    def noisy(x, std):
        return x + torch.empty_like(x).normal_(std=std)

    def step(self, x, tags):
        labels = tags.clone()
        labels[torch.rand(tags.shape) < 0.5] = self.ignore
        logits = self.student(self.noisy(x, 0.1))
        with torch.no_grad():
            target = self.teacher.module(self.noisy(x, 0.1)).div_(0.5).softmax(1)
        loss = F.cross_entropy(logits, labels, ignore_index=self.ignore)
        loss = loss + self.ramp(self.step_no) * (logits.softmax(1) - target).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.teacher.update(self.student)
        self.step_no += 1
        return loss.item()

    @torch.no_grad()
    def evaluate(self, x, tags):
        with self.teacher.swapped_into(self.student) as m:
            m.eval()
            pred = m(x).argmax(1)
            m.train()
        flat = tags.flatten() * self.n_tags + pred.flatten()
        self.confusion += torch.bincount(flat, minlength=self.n_tags ** 2).view_as(self.confusion)
        return self.confusion.diag().sum().item() / self.confusion.sum().item()


# --- driver ---
torch.manual_seed(0)
mt = MeanTeacher(Tagger(4, 8, 3), 3)
for _ in range(2):
    x, t = torch.randn(3, 4, 10), torch.randint(0, 3, (3, 10))
    mt.step(x, t)
    mt.evaluate(x, t)
