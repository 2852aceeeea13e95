"""Mean-teacher semi-supervised segmentation of point clouds."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


class PointNetSeg(nn.Module):
    def __init__(self, n_cls, width=24):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(3, width), nn.ReLU(inplace=True), nn.Linear(width, width))
        self.head = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(inplace=True), nn.Linear(width, n_cls))

    def forward(self, pts):
        f = self.local(pts)
        g = f.amax(dim=1, keepdim=True).expand_as(f)
        return self.head(torch.cat([f, g], -1))


class Teacher:
    """Slow copy of the student; never receives gradients."""

    def __init__(self, student, decay=0.98):
        self.net = copy.deepcopy(student).eval()
        for p in self.net.parameters():
            p.requires_grad = False
        self.decay = decay

    @torch.no_grad()
    def predict(self, pts):
        return self.net(pts).softmax(-1)

    @torch.no_grad()
    def follow(self, student):
        for t, s in zip(self.net.parameters(), student.parameters()):
            t.mul_(self.decay).add_(s, alpha=1 - self.decay)


def unit_sphere(pts):
    pts = pts.clone()
    pts -= pts.mean(dim=1, keepdim=True)
    pts /= pts.norm(dim=-1).amax(dim=1)[:, None, None]
    return pts


def jitter(pts, sigma=0.02, drop=0.1):
    out = pts + sigma * torch.randn_like(pts)
    gone = torch.rand(pts.shape[:2]) < drop
    out[gone] = 0.0
    return out


def ramp(step, total, top=1.0):
    x = min(1.0, step / max(1, total))
    return top * float(torch.exp(torch.tensor(-5.0 * (1 - x) ** 2)))


class SemiSupervised:
    def __init__(self, n_cls, steps):
        self.student = PointNetSeg(n_cls)
        self.teacher = Teacher(self.student)
        self.opt = torch.optim.Adam(self.student.parameters(), lr=1e-3)
        self.steps = steps

    def consistency(self, pts):
        student = self.student(jitter(pts)).softmax(-1)
        teacher = self.teacher.predict(jitter(pts))
        self.teacher.follow(self.student)
        return F.mse_loss(student, teacher)

    def step(self, i, labelled, unlabelled):
        pts, y = labelled
        loss = F.cross_entropy(self.student(jitter(pts)).transpose(1, 2), y)
        loss = loss + ramp(i, self.steps) * self.consistency(unlabelled)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    run = SemiSupervised(n_cls=3, steps=3)
    for i in range(run.steps):
        cloud = unit_sphere(torch.randn(4, 32, 3))
        print(i, run.step(i, (cloud, torch.randint(0, 3, (4, 32))), unit_sphere(torch.randn(4, 32, 3))))
