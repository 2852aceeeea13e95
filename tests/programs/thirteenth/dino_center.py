import copy
import math
import torch
from torch import nn
import torch.nn.functional as F


class MultiCrop:
    def __init__(self, n_global=2, n_local=2, g=12, l=8):
        self.spec = [g] * n_global + [l] * n_local

    def __call__(self, img):
        crops = []
        for s in self.spec:
            H, W = img.shape[-2:]
            i, j = int(torch.randint(0, H - s + 1, ())), int(torch.randint(0, W - s + 1, ()))
            c = img[..., i:i + s, j:j + s].clone()
            if torch.rand(()) < 0.5:
                c = c.flip(-1)
            c.mul_(0.8 + 0.4 * torch.rand(len(img), 1, 1, 1)).clamp_(0, 1)
            crops.append(c)
        return crops


class DINOHead(nn.Module):
    def __init__(self, d, out, hidden=24, bottleneck=8):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, hidden), nn.GELU(), nn.Linear(hidden, bottleneck))
        self.last = nn.utils.parametrizations.weight_norm(nn.Linear(bottleneck, out, bias=False))

    def forward(self, x):
        return self.last(F.normalize(self.mlp(x), dim=-1))


class Backbone(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.Conv2d(3, d, 3, 2, 1), nn.GELU(), nn.Conv2d(d, d, 3, 2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten())


class DINOLoss(nn.Module):
    def __init__(self, out, t_s=0.1, t_t=0.04, momentum=0.9):
        super().__init__()
        self.t_s, self.t_t, self.m = t_s, t_t, momentum
        self.register_buffer("center", torch.zeros(1, out))

    def forward(self, student, teacher):
        targets = [F.softmax((t - self.center) / self.t_t, -1) for t in teacher]
        logs = [F.log_softmax(s / self.t_s, -1) for s in student]
        total, n = 0.0, 0
        for i, t in enumerate(targets):
            for j, s in enumerate(logs):
                if i != j:
                    total = total - (t * s).sum(-1).mean()
                    n += 1
        self.recenter(teacher)
        return total / n

    @torch.no_grad()
    def recenter(self, teacher):
        batch = torch.cat(list(teacher)).mean(0, keepdim=True)
        self.center.mul_(self.m).add_(batch, alpha=1 - self.m)


class DINO:
    def __init__(self, d=12, out=20, total=4):
        self.student = nn.Sequential(Backbone(d), DINOHead(d, out))
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)
        self.crit, self.crops, self.total = DINOLoss(out), MultiCrop(), total
        self.opt = torch.optim.AdamW(self.student.parameters(), lr=2e-3)

    def momentum(self, it, base=0.99):
        return 1 - (1 - base) * (math.cos(math.pi * it / self.total) + 1) / 2

    @torch.no_grad()
    def follow(self, m):
        for s, t in zip(self.student.parameters(), self.teacher.parameters()):
            t.lerp_(s, 1 - m)

    def step(self, img, it):
        views = self.crops(img)
        with torch.no_grad():
            t_out = [self.teacher(v) for v in views[:2]]
        loss = self.crit([self.student(v) for v in views], t_out)
        self.opt.zero_grad()
        loss.backward()
        if it == 0:
            self.student[1].last.parametrizations.weight.original0.grad.zero_()
        nn.utils.clip_grad_norm_(self.student.parameters(), 3.0)
        self.opt.step()
        self.follow(self.momentum(it))
        return loss.item()


# --- driver ---
torch.manual_seed(0)
algo = DINO()
for it in range(4):
    print(it, algo.step(torch.rand(6, 3, 16, 16), it), algo.crit.center.norm().item())
