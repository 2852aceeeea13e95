from functools import partial
from typing import Callable, Optional, Type

import torch
import torch.nn as nn
import torch.nn.functional as F

conv3x3 = partial(nn.Conv2d, kernel_size=3, padding=1, bias=False)


class SqueezeExcitation(nn.Module):
    def __init__(self, ch, red=4):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(ch, ch // red, 1), nn.Conv2d(ch // red, ch, 1)

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        s = F.relu(self.fc1(s), inplace=True)
        return x * self.fc2(s).sigmoid_()


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        mask = x.new_empty((x.shape[0], 1, 1, 1)).bernoulli_(keep)
        mask.div_(keep)
        return x * mask


class SEBottleneck(nn.Module):
    expansion = 2

    def __init__(self, cin, ch, stride=1, drop=0.0, norm: Optional[Callable] = None):
        super().__init__()
        norm = norm or nn.BatchNorm2d
        out = ch * self.expansion
        self.conv1, self.bn1 = nn.Conv2d(cin, ch, 1, bias=False), norm(ch)
        self.conv2, self.bn2 = conv3x3(ch, ch, stride=stride), norm(ch)
        self.conv3, self.bn3 = nn.Conv2d(ch, out, 1, bias=False), norm(out)
        self.se, self.drop = SqueezeExcitation(out), DropPath(drop)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or cin != out:
            self.downsample = nn.Sequential(nn.Conv2d(cin, out, 1, stride, bias=False), norm(out))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.drop(self.se(self.bn3(self.conv3(out))))
        out += identity
        return self.relu(out)


class SEResNet(nn.Module):
    def __init__(self, block: Type[nn.Module], layers, classes, width=4, drop=0.1):
        super().__init__()
        self.cin = width
        self.stem = nn.Sequential(conv3x3(3, width), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        rates = torch.linspace(0, drop, sum(layers)).tolist()
        stages = []
        for i, n in enumerate(layers):
            ch = width * 2 ** i
            for j in range(n):
                stages.append(block(self.cin, ch, 2 if i and j == 0 else 1, rates.pop(0)))
                self.cin = ch * block.expansion
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(self.cin, classes)
        self.apply(self._init)
        for m in self.modules():
            if isinstance(m, SEBottleneck):
                nn.init.zeros_(m.bn3.weight)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        return self.fc(self.stages(self.stem(x)).mean((2, 3)))


def mixup(x, y, classes, alpha=0.2):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    perm = torch.randperm(x.size(0))
    onehot = torch.zeros(x.size(0), classes).scatter_(1, y[:, None], 1.0)
    other = x[perm]
    x.mul_(lam).add_(other, alpha=1 - lam)
    return x, onehot.mul(lam).add_(onehot[perm], alpha=1 - lam)


def train_epoch(model, opt, loader, classes):
    model.train()
    for x, y in loader:
        x, soft = mixup(x, y, classes)
        loss = -(soft * F.log_softmax(model(x), 1)).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = SEResNet(SEBottleneck, [1, 2], classes=5)
loader = [(torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,))) for _ in range(2)]
train_epoch(net, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), loader, 5)
