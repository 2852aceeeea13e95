"""Sharpness-aware minimisation as a wrapper round any base optimiser."""
import torch
from torch import nn
import torch.nn.functional as F


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_cls, rho=0.05, adaptive=False, **kw):
        super().__init__(params, dict(rho=rho, adaptive=adaptive, **kw))
        self.base = base_cls(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    def _each(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    yield group, p

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([((p.abs() if g["adaptive"] else 1.0) * p.grad).norm() for g, p in self._each()]).norm()
        for g, p in self._each():
            e = (p.square() if g["adaptive"] else 1.0) * p.grad * (g["rho"] / (norm + 1e-12))
            p.add_(e)
            self.state[p]["e"] = e

    @torch.no_grad()
    def descend(self):
        for _, p in self._each():
            p.sub_(self.state[p].pop("e"))
        self.base.step()

    def step(self, closure):
        closure = torch.enable_grad()(closure)
        self.zero_grad()
        loss = closure()
        self.climb()
        self.zero_grad()
        with bn_frozen(*self.watched):
            closure()
        self.descend()
        return loss

    watched = ()


class bn_frozen:
    """Running statistics are only tracked in the first of the two passes."""

    def __init__(self, *models):
        self.bns = [m for mod in models for m in mod.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]

    def __enter__(self):
        self.saved = [m.momentum for m in self.bns]
        for m in self.bns:
            m.momentum = 0.0

    def __exit__(self, *exc):
        for m, v in zip(self.bns, self.saved):
            m.momentum = v


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.c2, self.b2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.act(self.b1(self.c1(x)))
        out = self.b2(self.c2(out))
        out += x
        return self.act(out)


def tiny_resnet(classes=4, c=8, depth=2):
    stem = [nn.Conv2d(3, c, 3, 2, 1, bias=False), nn.BatchNorm2d(c), nn.ReLU(inplace=True)]
    return nn.Sequential(*stem, *[ResBlock(c) for _ in range(depth)], nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(c, classes))


# --- driver ---
torch.manual_seed(0)
model = tiny_resnet()
opt = SAM(model.parameters(), torch.optim.SGD, rho=0.1, adaptive=True, lr=0.05, momentum=0.9)
opt.watched = (model,)
for _ in range(3):
    x, y = torch.randn(6, 3, 12, 12), torch.randint(0, 4, (6,))

    def closure():
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    print(opt.step(closure).item())
