from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__.lower()] = cls
    return cls


class SqueezeExcite(nn.Module):
    def __init__(self, ch, r=2):
        super().__init__()
        self.down, self.up = nn.Conv2d(ch, ch // r, 1), nn.Conv2d(ch // r, ch, 1)

    def forward(self, x):
        s = F.relu_(self.down(x.mean((2, 3), keepdim=True)))
        return x * self.up(s).sigmoid_()


@register
class Basic(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout)
        self.conv2, self.bn2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False), nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.short = None
        if stride != 1 or cin != cout:
            self.short = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        identity = x if self.short is None else self.short(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


@register
class SEBasic(Basic):
    def __init__(self, cin, cout, stride):
        super().__init__(cin, cout, stride)
        self.se = SqueezeExcite(cout)

    def forward(self, x):
        identity = x if self.short is None else self.short(x)
        out = F.relu_(self.bn1(self.conv1(x)))
        out = self.se(self.bn2(self.conv2(out)))
        out += identity
        return F.relu_(out)


class ResNet(nn.Module):
    def __init__(self, block, widths=(4, 8), depth=1, classes=5):
        super().__init__()
        self.stem = nn.Sequential(OrderedDict(conv=nn.Conv2d(3, widths[0], 3, 1, 1, bias=False), bn=nn.BatchNorm2d(widths[0]), act=nn.ReLU(inplace=True)))
        cin, stages = widths[0], []
        for i, w in enumerate(widths):
            for j in range(depth):
                stages.append(block(cin, w, 2 if i and not j else 1))
                cin = w
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(cin, classes)
        self.reset()

    def reset(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, Basic):
                m.bn2.weight.data.zero_()

    def forward(self, x):
        h = self.stages(self.stem(x))
        return self.fc(F.adaptive_avg_pool2d(h, 1).flatten(1))


class Normalise:
    def __init__(self, mean, std):
        self.mean, self.std = (torch.tensor(v).view(1, 3, 1, 1) for v in (mean, std))

    def __call__(self, x):
        return x.sub_(self.mean).div_(self.std)


def cutmix(x, y, alpha=1.0):
    lam = float(torch.distributions.Beta(alpha, alpha).sample())
    n, _, h, w = x.shape
    ch, cw = int(h * (1 - lam) ** 0.5), int(w * (1 - lam) ** 0.5)
    top, left = int(torch.randint(0, h - ch + 1, ())), int(torch.randint(0, w - cw + 1, ()))
    perm = torch.randperm(n)
    x[:, :, top:top + ch, left:left + cw] = x[perm, :, top:top + ch, left:left + cw]
    return x, y, y[perm], 1 - ch * cw / (h * w)


def topk_hits(logits, y, ks=(1, 3)):
    pred = logits.topk(max(ks), 1).indices
    hit = pred.eq(y[:, None])
    return torch.stack([hit[:, :k].any(1).float().sum() for k in ks])


def train(model, loader, lr=0.1):
    opt = torch.optim.SGD(model.parameters(), lr, momentum=0.9, weight_decay=5e-4)
    prep, correct, seen = Normalise([0.5] * 3, [0.25] * 3), torch.zeros(2), 0
    for x, y in loader:
        x, ya, yb, lam = cutmix(prep(x), y)
        logits = model(x)
        loss = lam * F.cross_entropy(logits, ya) + (1 - lam) * F.cross_entropy(logits, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        correct += topk_hits(logits.detach(), y)
        seen += len(y)
    return correct.div_(seen)


# --- driver ---
torch.manual_seed(0)
for name in ("basic", "sebasic"):
    train(ResNet(REGISTRY[name]), [(torch.rand(4, 3, 8, 8), torch.randint(0, 5, (4,))) for _ in range(2)])
