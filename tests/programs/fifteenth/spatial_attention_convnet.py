"""Image classifier with configurable activations and spatial attention."""
import torch
import torch.nn as nn

ACTIVATIONS = {}


def register(name):
    def deco(fn):
        ACTIVATIONS[name] = fn
        return fn
    return deco


@register("relu")
def _relu(**kw):
    return nn.ReLU(inplace=kw.get("lean", True))


@register("gelu")
def _gelu(**kw):
    return nn.GELU()


@register("silu")
def _silu(**kw):
    return nn.SiLU()


def build_act(spec):
    """`spec` is either a name or a dict with a `type` key."""
    spec = {"type": spec} if isinstance(spec, str) else dict(spec)
    return ACTIVATIONS[spec.pop("type")](**spec)


class ConvNorm(nn.Sequential):
    def __init__(self, cin, cout, k=3, stride=1):
        super().__init__(
            nn.Conv2d(cin, cout, k, stride, k // 2, bias=False),
            nn.BatchNorm2d(cout),
        )


class SpatialAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.reduce = nn.Conv2d(channels, 1, 7, padding=3)

    def forward(self, x):
        return self.reduce(x).sigmoid()


class AttentiveBlock(nn.Module):
    def __init__(self, cin, cout, stride=1, act="relu"):
        super().__init__()
        self.conv1 = ConvNorm(cin, cout, stride=stride)
        self.act1 = build_act(act)
        self.conv2 = ConvNorm(cout, cout)
        self.act2 = build_act(act)
        self.attn = SpatialAttention(cout)
        self.short = ConvNorm(cin, cout, 1, stride) if stride != 1 or cin != cout else nn.Identity()

    def forward(self, x):
        y = self.act1(self.conv1(x))
        y = self.conv2(y)
        m = self.attn(y)
        y = self.act2(y) * m  # BUG
        return y + self.short(x)


class Net(nn.Module):
    def __init__(self, n_classes, plan=((8, 1), (16, 2)), act="relu"):
        super().__init__()
        self.stem = nn.Sequential(ConvNorm(3, plan[0][0]), build_act(act))
        blocks, c = [], plan[0][0]
        for width, stride in plan:
            blocks.append(AttentiveBlock(c, width, stride, act))
            c = width
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(c, n_classes)

    def forward(self, x):
        h = self.blocks(self.stem(x))
        return self.fc(h.mean((2, 3)))


def train_epoch(net, opt, loader, smoothing=0.1):
    crit = nn.CrossEntropyLoss(label_smoothing=smoothing)
    net.train()
    for x, y in loader:
        loss = crit(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net(5, act={"type": "relu"})
    data = [(torch.randn(4, 3, 12, 12), torch.randint(0, 5, (4,))) for _ in range(3)]
    for l in train_epoch(net, torch.optim.SGD(net.parameters(), 0.05, momentum=0.9), data):
        print(f"{l:.4f}")
