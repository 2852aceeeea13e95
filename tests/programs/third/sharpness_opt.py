"""Sharpness aware minimisation around any base optimiser."""
import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_cls, rho=0.05, adaptive=False, **kw):
        defaults = dict(rho=rho, adaptive=adaptive, **kw)
        super().__init__(params, defaults)
        self.base = base_cls(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    def _norm(self):
        norms = []
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = p.grad * (p.abs() if group["adaptive"] else 1.0)
                norms.append(g.norm(2))
        return torch.stack(norms).norm(2)

    @torch.no_grad()
    def ascend(self):
        norm = self._norm()
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                if p.grad is None:
                    continue
                e = p.grad * scale
                if group["adaptive"]:
                    e *= p.pow(2)
                p.add_(e)  # BUG
                self.state[p]["e"] = e

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "e" in self.state[p]:
                    p.sub_(self.state[p].pop("e"))
        self.base.step()

    def step(self, closure=None):
        raise NotImplementedError("call ascend() and descend()")


class SmallConv(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.SiLU(),
            nn.Conv2d(4, 8, 3, stride=2, padding=1), nn.SiLU(),
        )
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


def sam_epoch(model, opt, batches, criterion):
    losses = []
    for x, y in batches:
        loss = criterion(model(x), y)
        loss.backward(retain_graph=True)
        opt.ascend()
        opt.zero_grad()
        loss.backward()
        opt.descend()
        opt.zero_grad()
        losses.append(loss.item())
    return losses


# --- driver ---
torch.manual_seed(10)
net = SmallConv()
sam = SAM(net.parameters(), torch.optim.SGD, lr=0.1)
sam_epoch(net, sam, [(torch.randn(3, 1, 8, 8), torch.randint(0, 4, (3,)))], nn.CrossEntropyLoss())
