"""Weight-standardised convolutions and a hand-written GroupNorm (no affine fusion)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

__all__ = ['WSConv2d', 'PlainGroupNorm', 'wsgn_block', 'fit_one']


class WSConv2d(nn.Conv2d):
    def forward(self, x):
        w = self.weight
        mean = w.mean(dim=(1, 2, 3), keepdim=True)
        std = w.std(dim=(1, 2, 3), keepdim=True) + 1e-5
        return self._conv_forward(x, (w - mean) / std, self.bias)


class PlainGroupNorm(nn.Module):
    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        if channels % groups:
            raise ValueError('channels must be divisible by groups')
        self.groups = groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))

    def reset_parameters(self):
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x):
        n, c, h, w = x.shape
        g = x.reshape(n, self.groups, -1)
        g = g - g.mean(-1, keepdim=True)
        var = g.pow(2).mean(-1, keepdim=True)
        g /= torch.sqrt(var + self.eps)  # BUG
        return g.view(n, c, h, w) * self.weight + self.bias


def wsgn_block(cin, cout, groups=4, stride=1):
    return nn.Sequential(WSConv2d(cin, cout, 3, stride, 1, bias=False),
                         PlainGroupNorm(groups, cout), nn.ReLU(inplace=True))


class Classifier(nn.Module):
    def __init__(self, widths=(8, 16), classes=4):
        super().__init__()
        chans = (3,) + tuple(widths)
        self.stages = nn.Sequential(*[wsgn_block(a, b, stride=2) for a, b in zip(chans, widths)])
        self.fc = nn.Linear(widths[-1], classes)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Linear):
            nn.init.zeros_(m.bias)
            with torch.no_grad():
                m.weight.normal_(0, 0.01)

    def forward(self, x):
        return self.fc(self.stages(x).mean((2, 3)))


def fit_one(model, loader, lr=0.1, momentum=0.9):
    velocity = {p: torch.zeros_like(p) for p in model.parameters()}
    for x, y in loader:
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p, v in velocity.items():
                v.mul_(momentum).add_(p.grad)
                p.sub_(lr * v)
    return loss.item()


# --- driver ---
torch.manual_seed(0)
fit_one(Classifier(), [(torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,)))])
