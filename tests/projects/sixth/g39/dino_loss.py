import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class DINOLoss(nn.Module):
    def __init__(self, out_dim, ncrops, warmup_t=0.06, t=0.04, nepochs=4, student_temp=0.1, m=0.9):
        super().__init__()
        self.student_temp, self.m, self.ncrops = student_temp, m, ncrops
        self.register_buffer("center", torch.zeros(1, out_dim))
        half = nepochs // 2
        self.sched = [warmup_t + (t - warmup_t) * i / max(half - 1, 1) for i in range(half)] + [t] * (nepochs - half)

    def forward(self, student_output, teacher_output, epoch):
        student_out = student_output / self.student_temp
        student_out = student_out.chunk(self.ncrops)
        temp = self.sched[epoch]
        teacher_out = F.softmax((teacher_output - self.center) / temp, dim=-1)
        teacher_out = teacher_out.detach().chunk(2)
        total_loss = 0
        n_terms = 0
        for iq, q in enumerate(teacher_out):
            for v in range(len(student_out)):
                if v == iq:
                    continue
                loss = torch.sum(-q * F.log_softmax(student_out[v], dim=-1), dim=-1)
                total_loss += loss.mean()
                n_terms += 1
        total_loss /= n_terms
        self.update_center(teacher_output)
        return total_loss

    @torch.no_grad()
    def update_center(self, teacher_output):
        batch_center = torch.sum(teacher_output, dim=0, keepdim=True)
        batch_center.div_(len(teacher_output))
        self.center.mul_(self.m).add_(batch_center, alpha=1 - self.m)


def cosine_scheduler(base, final, n):
    return [final + 0.5 * (base - final) * (1 + math.cos(math.pi * i / n)) for i in range(n)]
