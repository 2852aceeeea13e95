"""A very small MobileNetV3-like classifier."""
import torch
from torch import nn
from torch.nn import functional as F

CFG = dict(
    stem=8,
    stages=[  # out, expand, stride, se
        (8, 2, 1, True),
        (12, 3, 2, False),
        (12, 3, 1, True),
    ],
    classes=5,
    drop=0.1,
)


class ConvBN(nn.Sequential):
    def __init__(self, i, o, k=3, s=1, g=1, act=True):
        mods = [nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o)]
        if act:
            mods.append(nn.Hardswish(inplace=False))
        super().__init__(*mods)


class SqueezeExcite(nn.Module):
    def __init__(self, ch, r=4, stochastic=0.2):
        super().__init__()
        mid = max(ch // r, 4)
        self.reduce = nn.Conv2d(ch, mid, 1)
        self.expand = nn.Conv2d(mid, ch, 1)
        self.stochastic = stochastic

    def forward(self, x):
        s = x.mean((2, 3), keepdim=True)
        s = F.relu(self.reduce(s), inplace=True)
        s = torch.sigmoid(self.expand(s))
        s = F.dropout(s, p=self.stochastic, training=self.training, inplace=True)  # BUG
        return x * s


class InvertedResidual(nn.Module):
    def __init__(self, i, o, e, s, se):
        super().__init__()
        mid = i * e
        body = [ConvBN(i, mid, 1), ConvBN(mid, mid, 3, s, mid)]
        if se:
            body.append(SqueezeExcite(mid))
        body.append(ConvBN(mid, o, 1, act=False))
        self.body = nn.Sequential(*body)
        self.skip = s == 1 and i == o

    def forward(self, x):
        y = self.body(x)
        if self.skip:
            y += x
        return y


class MobileTiny(nn.Module):
    def __init__(self, cfg=CFG):
        super().__init__()
        self.stem = ConvBN(3, cfg["stem"], 3, 2)
        blocks, ch = [], cfg["stem"]
        for o, e, s, se in cfg["stages"]:
            blocks.append(InvertedResidual(ch, o, e, s, se))
            ch = o
        self.blocks = nn.Sequential(*blocks)
        self.drop = nn.Dropout(cfg["drop"])
        self.fc = nn.Linear(ch, cfg["classes"])

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.fc(self.drop(x.mean((2, 3))))


class Accuracy:
    def __init__(self, n):
        self.conf = torch.zeros(n, n, dtype=torch.long)

    def update(self, pred, y):
        self.conf.index_put_((y, pred), torch.ones_like(y), accumulate=True)

    def value(self):
        return (self.conf.diag().sum() / self.conf.sum().clamp(min=1)).item()


def run_epoch(model, loader, opt, metric):
    model.train()
    for x, y in loader:
        logits = model(x)
        loss = F.cross_entropy(logits, y, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
        metric.update(logits.argmax(1), y)
    return metric.value()


# --- driver ---
torch.manual_seed(0)
net = MobileTiny()
data = [(torch.randn(4, 3, 16, 16), torch.randint(5, (4,)))]
run_epoch(net, data, torch.optim.SGD(net.parameters(), 0.1, momentum=0.9), Accuracy(5))
