import torch
import torch.nn.functional as F


class Meter:
    def __init__(self):
        self.total, self.n = torch.zeros(()), 0

    def add(self, v):
        self.total += v.detach()
        self.n += 1

    @property
    def avg(self):
        return (self.total / max(self.n, 1)).item()


class DistillTrainer:
    def __init__(self, student, teacher, cfg, hooks):
        self.student, self.teacher, self.cfg, self.hooks = student, teacher, cfg, hooks
        self.optimizer = torch.optim.SGD(student.parameters(), lr=cfg["lr"], momentum=0.9, nesterov=True)
        self.meter = Meter()
        self.it, self.total = 0, cfg["steps"]

    def call(self, name):
        for h in self.hooks:
            getattr(h, name)(self)

    def compute_loss(self, a, b):
        feats = self.student.features(a)
        own = self.student.head(feats)
        target = self.teacher.targets(b)
        # feature-level term: student's features should be readable by the teacher's head
        readable = self.teacher.read(feats)
        return F.mse_loss(own, target) + 0.5 * F.smooth_l1_loss(readable, target)

    def train(self, views):
        for a, b in views:
            loss = self.compute_loss(a, b)
            self.call("after_forward")
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.meter.add(loss)
            self.it += 1
            self.call("after_step")
