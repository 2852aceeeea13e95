"""Sharpness-aware minimisation around any base optimiser, with an adaptive (ASAM) variant."""
import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, adaptive=False, **base_kwargs):
        super().__init__(params, dict(rho=rho, adaptive=adaptive, **base_kwargs))
        self.base = base(self.param_groups, **base_kwargs)
        self.param_groups = self.base.param_groups

    def _scale(self, group, p):
        return p.abs() if group["adaptive"] else torch.ones_like(p)

    def _grad_norm(self):
        parts = [(self._scale(g, p) * p.grad).norm()
                 for g in self.param_groups for p in g["params"] if p.grad is not None]
        return torch.stack(parts).norm()

    @torch.no_grad()
    def ascend(self):
        radius = self._grad_norm() + 1e-12
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                e = self._scale(group, p).square() * p.grad * (group["rho"] / radius)
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                e = self.state[p].pop("e", None)
                if e is not None:
                    p.sub_(e)
        self.base.step()
        self.zero_grad()

    @torch.no_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        loss = closure()
        self.ascend()
        closure()
        self.descend()
        return loss


class frozen_batchnorm_stats:
    """No momentum update inside, so the second pass does not count twice."""

    def __init__(self, model):
        self.layers = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]

    def __enter__(self):
        self.saved = [m.momentum for m in self.layers]
        for m in self.layers:
            m.momentum = 0.0

    def __exit__(self, *exc):
        for m, value in zip(self.layers, self.saved):
            m.momentum = value


class SmallConvNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(6, 12, 3, padding=1, bias=False), nn.BatchNorm2d(12), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(12, classes)

    def forward(self, x):
        return self.head(self.body(x))


def train_epoch(model, opt, batches):
    losses = []
    for x, y in batches:
        calls = 0

        def closure():
            nonlocal calls
            calls += 1
            if calls == 1:
                loss = nn.functional.cross_entropy(model(x), y)
            else:
                with frozen_batchnorm_stats(model):
                    loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            return loss.detach()

        losses.append(opt.step(closure))
    return torch.stack(losses).mean().item()


# --- driver ---
torch.manual_seed(6)
net = SmallConvNet()
sam = SAM(net.parameters(), torch.optim.SGD, rho=0.1, adaptive=True, lr=0.05, momentum=0.9)
batches = [(torch.randn(5, 1, 8, 8), torch.randint(0, 4, (5,))) for _ in range(3)]
for epoch in range(2):
    print(train_epoch(net, sam, batches))
