import re
import torch
import torch.nn as nn

_model_entrypoints = {}


def register_model(fn):
    _model_entrypoints[fn.__name__] = fn
    return fn


def create_model(name, **kw):
    if name not in _model_entrypoints:
        raise KeyError(f"unknown model {name}; have {sorted(_model_entrypoints)}")
    return _model_entrypoints[name](**kw)


def make_divisible(v, d=4):
    return max(d, int(v + d / 2) // d * d)


class SqueezeExcite(nn.Module):
    def __init__(self, ch, rd_ratio=0.25):
        super().__init__()
        rd = make_divisible(ch * rd_ratio)
        self.reduce = nn.Conv2d(ch, rd, 1)
        self.act = nn.ReLU(inplace=True)
        self.expand = nn.Conv2d(rd, ch, 1)

    def forward(self, x):
        s = x.mean((2, 3), keepdim=True)
        return x * torch.sigmoid(self.expand(self.act(self.reduce(s))))


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = torch.empty(x.shape[0], 1, 1, 1).bernoulli_(1 - self.p)
        return x * keep.div_(1 - self.p)


class MBConv(nn.Module):
    def __init__(self, cin, cout, expand, stride, drop):
        super().__init__()
        mid = cin * expand
        self.skip = stride == 1 and cin == cout
        self.pw = nn.Sequential(nn.Conv2d(cin, mid, 1, bias=False), nn.BatchNorm2d(mid), nn.SiLU(inplace=True))
        self.dw = nn.Sequential(nn.Conv2d(mid, mid, 3, stride, 1, groups=mid, bias=False),
                                nn.BatchNorm2d(mid), nn.SiLU(inplace=True))
        self.se = SqueezeExcite(mid)
        self.pwl = nn.Sequential(nn.Conv2d(mid, cout, 1, bias=False), nn.BatchNorm2d(cout))
        self.drop_path = DropPath(drop)

    def forward(self, x):
        shortcut = x
        x = self.pwl(self.se(self.dw(self.pw(x))))
        if self.skip:
            x = self.drop_path(x)
            x += shortcut
        return x


def decode_block(s):
    """'r2_e3_s2_c16' -> repeats, expand, stride, channels"""
    return {k: int(v) for k, v in re.findall(r"([a-z])(\d+)", s)}


class EffNet(nn.Module):
    def __init__(self, arch, num_classes=7, stem=8, drop_path_rate=0.1):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, stem, 3, 2, 1, bias=False), nn.BatchNorm2d(stem), nn.SiLU(inplace=True))
        blocks, c = [], stem
        for spec in map(decode_block, arch):
            for i in range(spec["r"]):
                blocks.append(MBConv(c, spec["c"], spec["e"], spec["s"] if i == 0 else 1, drop_path_rate))
                c = spec["c"]
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(c, num_classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


@register_model
def effnet_pico(**kw):
    return EffNet(["r2_e2_s1_c8", "r2_e3_s2_c16"], **kw)


@register_model
def effnet_femto(**kw):
    return EffNet(["r1_e2_s2_c8"], stem=4, **kw)


# --- driver ---
torch.manual_seed(0)
for name in ("effnet_pico", "effnet_femto"):
    m = create_model(name, num_classes=5)
    opt = torch.optim.SGD(m.parameters(), lr=0.1, nesterov=True, momentum=0.9)
    for _ in range(2):
        loss = nn.functional.cross_entropy(m(torch.randn(4, 3, 16, 16)), torch.randint(0, 5, (4,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(name, loss.item())
