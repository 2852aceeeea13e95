"""Residual classifier with squeeze-excite, stochastic depth and manual warmup."""
import torch
from torch import nn, Tensor
import torch.nn.functional as F


def conv_bn(i, o, k=1, s=1, g=1):
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o))


class SE(nn.Module):
    def __init__(self, ch, r=2):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(ch, ch // r, 1), nn.Conv2d(ch // r, ch, 1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        w = x.mean((2, 3), keepdim=True)
        w = self.fc2(self.act(self.fc1(w))).sigmoid()
        return x * w


class DropPath(nn.Module):
    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        keep = 1 - self.p
        mask = x.new_empty(x.shape[0], 1, 1, 1).bernoulli_(keep).div_(keep)
        return x * mask


class Bottleneck(nn.Module):
    expansion = 2

    def __init__(self, cin: int, mid: int, stride: int = 1, p: float = 0.0):
        super().__init__()
        out = mid * self.expansion
        self.a, self.b, self.c = conv_bn(cin, mid), conv_bn(mid, mid, 3, stride), conv_bn(mid, out)
        self.se, self.drop = SE(out), DropPath(p)
        self.down = conv_bn(cin, out, 1, stride) if stride != 1 or cin != out else None
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        identity = x if self.down is None else self.down(x)
        out = self.relu(self.a(x))
        out = self.relu(self.b(out))
        out = self.drop(self.se(self.c(out)))
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, layers, classes, width=4):
        super().__init__()
        self.stem = conv_bn(3, width, 3)
        cin, blocks, total = width, [], sum(layers)
        for i, n in enumerate(layers):
            for j in range(n):
                blocks.append(Bottleneck(cin, width * 2 ** i, 2 if i and not j else 1, 0.2 * len(blocks) / total))
                cin = width * 2 ** i * Bottleneck.expansion
        self.body = nn.Sequential(*blocks)
        self.fc = nn.Linear(cin, classes)
        self._init()

    def _init(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                fan = m.weight[0].numel()
                m.weight.data.normal_(0, (2 / fan) ** 0.5)
        with torch.no_grad():
            for b in self.body:
                b.c[1].weight.zero_()
            self.fc.weight.div_(10)

    def forward(self, x):
        x = F.relu_(self.stem(x))
        return self.fc(self.body(x).mean((2, 3)))


class TrainState:
    def __init__(self, net, lr, warm):
        self.net, self.base, self.warm, self.t = net, lr, warm, 0
        self.opt = torch.optim.SGD(net.parameters(), lr, momentum=0.9)

    def step(self, x, y):
        self.t += 1
        for g in self.opt.param_groups:
            g["lr"] = self.base * min(1, self.t / self.warm)
        target = torch.zeros(len(y), self.net.fc.out_features).scatter_(1, y[:, None], 1).mul_(0.9).add_(0.02)
        loss = torch.sum(-target * F.log_softmax(self.net(x), -1), -1).mean()
        self.opt.zero_grad()
        loss.backward()
        for p in self.net.parameters():
            p.grad.clamp_(-1, 1)
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(65)
state = TrainState(ResNet([1, 1], 5), 0.1, 5)
for _ in range(2):
    state.step(torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,)))
