"""CIFAR-style residual net with the AlexNet classifier order."""
from typing import List, Optional, Type

import torch
from torch import nn, Tensor


def conv3x3(i: int, o: int, s: int = 1) -> nn.Conv2d:
    return nn.Conv2d(i, o, 3, s, 1, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, i: int, o: int, s: int = 1, down: Optional[nn.Module] = None):
        super().__init__()
        self.conv1, self.bn1 = conv3x3(i, o, s), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = conv3x3(o, o), nn.BatchNorm2d(o)
        self.relu = nn.ReLU(inplace=True)
        self.down = down

    def forward(self, x: Tensor) -> Tensor:
        identity = x if self.down is None else self.down(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


class Bottleneck(nn.Module):
    def __init__(self, i: int, o: int, s: int = 1, down: Optional[nn.Module] = None):
        super().__init__()
        mid = o // 2
        self.body = nn.Sequential(
            nn.Conv2d(i, mid, 1, bias=False), nn.BatchNorm2d(mid), nn.ReLU(inplace=True),
            conv3x3(mid, mid, s), nn.BatchNorm2d(mid), nn.ReLU(inplace=True),
            nn.Conv2d(mid, o, 1, bias=False), nn.BatchNorm2d(o),
        )
        self.down = down

    def forward(self, x: Tensor) -> Tensor:
        out = self.body(x)
        out.add_(x if self.down is None else self.down(x))
        return out.relu_()


class ResNet(nn.Module):
    def __init__(self, block: Type[nn.Module], widths: List[int], num_classes: int):
        super().__init__()
        self.stem = nn.Sequential(conv3x3(3, widths[0]), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True))
        layers, cin = [], widths[0]
        for i, w in enumerate(widths):
            s = 1 if i == 0 else 2
            down = None
            if s != 1 or cin != w:
                down = nn.Sequential(nn.Conv2d(cin, w, 1, s, bias=False), nn.BatchNorm2d(w))
            layers += [block(cin, w, s, down), block(w, w)]
            cin = w
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Dropout(0.5, inplace=False), nn.Linear(cin, 16), nn.ReLU(inplace=True),
            nn.Dropout(0.5), nn.Linear(16, num_classes),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.layers(self.stem(x)).mean((-2, -1)))


def smooth_targets(y: Tensor, n: int, eps: float = 0.1) -> Tensor:
    t = torch.full((y.numel(), n), eps / (n - 1))
    t.scatter_(1, y.view(-1, 1), 1 - eps)
    return t


def soft_ce(logits: Tensor, t: Tensor) -> Tensor:
    logp = logits.log_softmax(-1)
    return -(t * logp).sum(-1).mean()


def fit(kind: str, x: Tensor, y: Tensor, steps: int = 2) -> List[float]:
    net = ResNet({"basic": BasicBlock, "bottleneck": Bottleneck}[kind], [4, 8], 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    out = []
    for _ in range(steps):
        opt.zero_grad()
        loss = soft_ce(net(x), smooth_targets(y, 3))
        loss.backward()
        opt.step()
        out.append(loss.item())
    return out


# --- driver ---
torch.manual_seed(0)
imgs, labels = torch.randn(4, 3, 8, 8), torch.randint(3, (4,))
for kind in ("basic", "bottleneck"):
    fit(kind, imgs, labels)
