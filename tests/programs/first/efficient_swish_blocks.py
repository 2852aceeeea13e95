"""MBConv-style network with a memory-efficient swish written as an autograd.Function."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SwishFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s * (1 + x * (1 - s)))


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return SwishFn.apply(x)


def drop_connect(x, p, training):
    if not training or p == 0:
        return x
    keep = 1 - p
    mask = torch.rand(x.size(0), 1, 1, 1).add_(keep).floor_()
    return x / keep * mask


class MBConv(nn.Module):
    def __init__(self, c, expand=2, se=0.25, drop=0.1):
        super().__init__()
        mid = c * expand
        self.expand = nn.Conv2d(c, mid, 1, bias=False)
        self.bn0 = nn.BatchNorm2d(mid)
        self.dw = nn.Conv2d(mid, mid, 3, padding=1, groups=mid, bias=False)
        self.bn1 = nn.BatchNorm2d(mid)
        self.se_r = nn.Conv2d(mid, max(1, int(c * se)), 1)
        self.se_e = nn.Conv2d(max(1, int(c * se)), mid, 1)
        self.project = nn.Conv2d(mid, c, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c)
        self.act = MemoryEfficientSwish()
        self.drop = drop

    def forward(self, x):
        h = self.act(self.bn0(self.expand(x)))
        h = self.act(self.bn1(self.dw(h)))
        s = self.se_e(self.act(self.se_r(F.adaptive_avg_pool2d(h, 1))))
        h = torch.sigmoid(s) * h
        h = self.bn2(self.project(h))
        return drop_connect(h, self.drop, self.training) + x


class FusedHead(nn.Module):
    def __init__(self, c, hidden, n_classes):
        super().__init__()
        self.pre = nn.Linear(c, hidden)
        self.aux = nn.Linear(c, hidden)
        self.fc = nn.Linear(hidden, n_classes)
        self.act = MemoryEfficientSwish()

    def forward(self, x):
        pooled = x.mean(dim=(2, 3))
        z = self.pre(pooled)
        feat = self.act(z)
        z += self.aux(pooled)  # BUG
        return self.fc(feat + 0.5 * z)


class EffNetLite(nn.Module):
    def __init__(self, c=8, depth=2, n_classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, c, 3, 2, 1, bias=False), nn.BatchNorm2d(c), MemoryEfficientSwish())
        self.blocks = nn.Sequential(*[MBConv(c, drop=0.05 * i) for i in range(depth)])
        self.head = FusedHead(c, 16, n_classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))


def training_step(model, opt, x, y, smoothing=0.1):
    loss = F.cross_entropy(model(x), y, label_smoothing=smoothing)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
model = EffNetLite()
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for _ in range(2):
    print(training_step(model, opt, torch.randn(4, 3, 16, 16), torch.randint(0, 4, (4,))))
