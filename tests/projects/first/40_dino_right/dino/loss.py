import torch
import torch.nn as nn
import torch.nn.functional as F


class DINOLoss(nn.Module):
    def __init__(self, out_dim, ts=0.1, tt=0.04, m=0.9):
        super().__init__()
        self.ts, self.tt, self.m = ts, tt, m
        self.register_buffer("center", torch.zeros(1, out_dim))

    def forward(self, student, teacher):
        student_out = [s / self.ts for s in student]
        teacher_out = [F.softmax((t - self.center) / self.tt, -1).detach() for t in teacher]
        total, n = 0, 0
        for i, q in enumerate(teacher_out):
            for j, s in enumerate(student_out):
                if i == j:
                    continue
                loss = torch.sum(-q * F.log_softmax(s, -1), -1)
                total += loss.mean()
                n += 1
        total /= n
        self.update_center(torch.cat(teacher))
        return total

    @torch.no_grad()
    def update_center(self, t):
        self.center.mul_(self.m).add_(t.mean(0, keepdim=True), alpha=1 - self.m)


@torch.no_grad()
def sinkhorn(scores, n=3):
    Q = (scores / 0.05).exp().t()
    Q /= Q.sum()
    for _ in range(n):
        Q /= Q.sum(1, keepdim=True)
        Q /= Q.sum(0, keepdim=True)
    return Q.t()
