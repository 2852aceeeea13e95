"""One-stage detector neck with deep supervision on the lateral features."""
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

LEVELS = ("c3", "c4", "c5")


class Backbone(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.stages = nn.ModuleDict()
        cin = 3
        for name, w in zip(LEVELS, widths):
            self.stages[name] = nn.Sequential(nn.Conv2d(cin, w, 3, 2, 1), nn.BatchNorm2d(w), nn.ReLU(True))
            cin = w

    def forward(self, x):
        feats = OrderedDict()
        for name, stage in self.stages.items():
            x = stage(x)
            feats[name] = x
        return feats


class Pyramid(nn.Module):
    def __init__(self, widths, dim):
        super().__init__()
        self.lateral = nn.ModuleDict({n: nn.Conv2d(w, dim, 1) for n, w in zip(LEVELS, widths)})
        self.smooth = nn.ModuleDict({n: nn.Conv2d(dim, dim, 3, padding=1) for n in LEVELS})

    def project(self, feats):
        return {n: self.lateral[n](f) for n, f in feats.items()}

    def top_down(self, maps):
        names = list(maps)
        for upper, lower in zip(names[:0:-1], names[-2::-1]):
            maps[lower] += F.interpolate(maps[upper], size=maps[lower].shape[-2:])  # BUG
        return {n: self.smooth[n](m) for n, m in maps.items()}


class DenseHead(nn.Module):
    def __init__(self, dim, n_cls):
        super().__init__()
        self.cls = nn.Conv2d(dim, n_cls, 3, padding=1)
        self.box = nn.Conv2d(dim, 4, 3, padding=1)

    def forward(self, f):
        return self.cls(f).flatten(2), F.softplus(self.box(f)).flatten(2)


class Detector(nn.Module):
    def __init__(self, n_cls=3, widths=(8, 12, 16), dim=12):
        super().__init__()
        self.backbone = Backbone(widths)
        self.neck = Pyramid(widths, dim)
        self.head = DenseHead(dim, n_cls)
        self.objectness = nn.Conv2d(dim, 1, 1)

    def forward(self, x):
        maps = self.neck.project(self.backbone(x))
        aux = [self.objectness(m).flatten(1) for m in maps.values()]
        cls, box = zip(*(self.head(f) for f in self.neck.top_down(maps).values()))
        return torch.cat(cls, 2), torch.cat(box, 2), torch.cat(aux, 1)


def focal(logits, target, gamma=2.0):
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    p = torch.exp(-ce)
    return ((1 - p) ** gamma * ce).mean()


def targets(cls, box):
    hot = torch.zeros_like(cls)
    hot[:, 0, ::7] = 1.0
    return hot, torch.rand_like(box), hot.amax(1)


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    det = Detector()
    opt = torch.optim.SGD(det.parameters(), lr=1e-2, momentum=0.9)
    for step in range(3):
        cls, box, aux = det(torch.rand(2, 3, 32, 32))
        t_cls, t_box, t_obj = targets(cls.detach(), box.detach())
        loss = focal(cls, t_cls) + F.l1_loss(box, t_box) + 0.1 * focal(aux, t_obj)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
