"""MobileNet-like classifier with squeeze-and-excite gating, memory saving ops."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout, k=3, stride=1, groups=1, act=True):
    layers = [
        nn.Conv2d(cin, cout, k, stride, k // 2, groups=groups, bias=False),
        nn.BatchNorm2d(cout),
    ]
    if act:
        layers.append(nn.ReLU6(inplace=True))
    return nn.Sequential(*layers)


class SqueezeExcite(nn.Module):
    def __init__(self, ch, ratio=4):
        super().__init__()
        self.reduce = nn.Linear(ch, ch // ratio)
        self.expand = nn.Linear(ch // ratio, ch)

    def forward(self, x):
        s = x.mean(dim=(2, 3))
        s = F.relu_(self.reduce(s))
        gate = self.expand(s).sigmoid_()
        return x.mul_(gate[:, :, None, None])


class InvertedResidual(nn.Module):
    def __init__(self, cin, cout, stride, expand):
        super().__init__()
        hid = cin * expand
        self.use_res = stride == 1 and cin == cout
        self.expand = conv_bn(cin, hid, 1)
        self.depth = conv_bn(hid, hid, 3, stride, groups=hid, act=False)
        self.se = SqueezeExcite(hid)
        self.project = conv_bn(hid, cout, 1, act=False)

    def forward(self, x):
        h = self.depth(self.expand(x))
        h = self.project(self.se(h))
        if self.use_res:
            h += x
        return h


class MobileSE(nn.Module):
    settings = [(8, 1, 2), (8, 1, 2), (16, 2, 2), (16, 1, 2)]

    def __init__(self, classes=5):
        super().__init__()
        self.stem = conv_bn(3, 8, stride=2)
        blocks, cin = [], 8
        for cout, stride, e in self.settings:
            blocks.append(InvertedResidual(cin, cout, stride, e))
            cin = cout
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(cin, classes)
        self._init()

    def _init(self):
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.weight.data.fill_(1.0)
                m.bias.data.zero_()
            elif isinstance(m, nn.Linear):
                m.weight.data.normal_(0, 0.02)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class SmoothedCE(nn.Module):
    def __init__(self, eps=0.1):
        super().__init__()
        self.eps = eps

    def forward(self, logits, target):
        n = logits.size(-1)
        soft = torch.full_like(logits, self.eps / (n - 1))
        soft.scatter_(1, target[:, None], 1 - self.eps)
        return -(soft * F.log_softmax(logits, dim=-1)).sum(-1).mean()


def train(model, data, epochs=2):
    crit = SmoothedCE()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for _ in range(epochs):
        for x, y in data:
            loss = crit(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()


# --- driver ---
torch.manual_seed(0)
train(MobileSE(), [(torch.randn(4, 3, 16, 16), torch.randint(0, 5, (4,)))])
