import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or cin != cout:
            self.down = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        identity = x if self.down is None else self.down(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, layers=(1, 1), width=8, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        blocks, cin = [], width
        for i, n in enumerate(layers):
            for j in range(n + 1):
                blocks.append(BasicBlock(cin, width * 2 ** i, 2 if i and not j else 1))
                cin = width * 2 ** i
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(cin, classes)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out")
        elif isinstance(m, BasicBlock):
            nn.init.zeros_(m.bn2.weight)

    def forward(self, x):
        return self.fc(self.blocks(self.stem(x)).mean((2, 3)))


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = (torch.tensor(v).view(1, -1, 1, 1) for v in (mean, std))

    def __call__(self, x):
        return x.sub_(self.mean).div_(self.std)


def cutmix(x, target, alpha=1.0):
    lam = random.betavariate(alpha, alpha)
    perm = torch.randperm(x.size(0))
    h, w = x.shape[-2:]
    ch, cw = int(h * math.sqrt(1 - lam)), int(w * math.sqrt(1 - lam))
    top, left = random.randint(0, h - ch), random.randint(0, w - cw)
    x[:, :, top:top + ch, left:left + cw] = x[perm, :, top:top + ch, left:left + cw]
    lam = 1 - ch * cw / (h * w)
    target.mul_(lam).add_(target[perm], alpha=1 - lam)
    return x, target


def soft_targets(y, classes, eps=0.1):
    t = torch.full((len(y), classes), eps / classes)
    t[torch.arange(len(y)), y] += 1 - eps
    return t


def train_step(model, opt, norm, raw, y, classes=4):
    x, t = cutmix(norm(raw.float().div_(255)), soft_targets(y, classes))
    loss = -(t * F.log_softmax(model(x), 1)).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(8)
random.seed(8)
net = ResNet()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
norm = Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])
for _ in range(2):
    raw = torch.randint(0, 256, (4, 3, 8, 8), dtype=torch.uint8)
    print(train_step(net, opt, norm, raw, torch.randint(0, 4, (4,))))
