"""Mean teacher for lidar range-image segmentation: consistency on unlabelled scans, EMA teacher, class weights."""
import copy
import torch
from torch import nn
import torch.nn.functional as F


class DoubleConv(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(
            nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        )


class TinyUNet(nn.Module):
    def __init__(self, cin, classes, w=6):
        super().__init__()
        self.d1, self.d2 = DoubleConv(cin, w), DoubleConv(w, 2 * w)
        self.up = nn.ConvTranspose2d(2 * w, w, 2, 2)
        self.u1 = DoubleConv(2 * w, w)
        self.head = nn.Conv2d(w, classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        return self.head(self.u1(torch.cat([a, self.up(b)], 1)))


class EMA:
    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay, self.n = decay, 0

    @torch.no_grad()
    def update(self, student):
        self.n += 1
        d = min(self.decay, self.n / (self.n + 10))
        for t, s in zip(self.model.parameters(), student.parameters()):
            t.lerp_(s, 1 - d)
        for t, s in zip(self.model.buffers(), student.buffers()):
            t.copy_(s)


class ScanAugment:
    """Drops beams and jitters ranges of a copy of the scan."""

    def __init__(self, p=0.2, sigma=0.02):
        self.p, self.sigma = p, sigma

    def __call__(self, scan):
        out = scan.clone()
        dead = torch.rand(scan.shape[0], scan.shape[2]) < self.p
        out.permute(0, 2, 1, 3)[dead] = 0
        out[:, :1].add_(torch.randn_like(out[:, :1]), alpha=self.sigma)
        return out, ~dead[:, :, None].expand(-1, -1, scan.shape[3])


class Trainer:
    def __init__(self, net, classes, ramp=3):
        self.net, self.teacher = net, EMA(net, 0.99)
        self.aug, self.ramp = ScanAugment(), ramp
        self.freq = torch.ones(classes)
        self.opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, nesterov=True)

    def weights(self, y):
        self.freq.mul_(0.9).add_(torch.bincount(y.flatten(), minlength=len(self.freq)).float())
        w = self.freq.rsqrt()
        return w.div_(w.mean())

    def consistency(self, scan):
        view, keep = self.aug(scan)
        with torch.no_grad():
            p = self.teacher.model(scan).softmax(1)
            conf = p.amax(1) > 0.3
            conf &= keep
        err = (self.net(view).softmax(1) - p).square().sum(1)
        err = err.masked_fill(~conf, 0.0)
        return err.sum() / conf.sum().clamp(min=1)

    def step(self, k, labelled, unlabelled):
        x, y = labelled
        sup = F.cross_entropy(self.net(x), y, weight=self.weights(y))
        loss = sup + min(1.0, k / self.ramp) * self.consistency(unlabelled)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.teacher.update(self.net)
        return loss.item()


# --- driver ---
torch.manual_seed(39)
tr = Trainer(TinyUNet(2, 4), 4)
for k in range(4):
    print(tr.step(k, (torch.rand(2, 2, 8, 16), torch.randint(0, 4, (2, 8, 16))), torch.rand(2, 2, 8, 16)))
