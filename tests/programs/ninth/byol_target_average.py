import copy
import math
from typing import Iterable

import torch
from torch import Tensor, nn


class MLPHead(nn.Sequential):
    def __init__(self, i: int, h: int, o: int):
        super().__init__(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, o))


class Online(nn.Module):
    def __init__(self, cin: int = 3, width: int = 8, dim: int = 8):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(cin, width, 3, 2, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.projector = MLPHead(width, 16, dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.projector(self.backbone(x))


class Ema:
    def __init__(self, net: nn.Module, base: float = 0.99):
        self.net = copy.deepcopy(net).requires_grad_(False)
        self.base = base

    def tau(self, step: int, total: int) -> float:
        return 1 - (1 - self.base) * (math.cos(math.pi * step / total) + 1) / 2

    @torch.no_grad()
    def update(self, online: nn.Module, tau: float) -> None:
        for t, o in zip(self.net.parameters(), online.parameters()):
            t.mul_(tau).add_(o, alpha=1 - tau)
        for t, o in zip(self.net.buffers(), online.buffers()):
            t.copy_(o)


class RandomErase:
    def __init__(self, p: float, size: int):
        self.p, self.size = p, size

    def __call__(self, x: Tensor) -> Tensor:
        x = x.clone()
        for img in x:
            if torch.rand(()) < self.p:
                top, left = torch.randint(0, img.size(-1) - self.size, (2,)).tolist()
                img[:, top:top + self.size, left:left + self.size].normal_()
        x.sub_(x.mean((2, 3), keepdim=True))
        return x


def regression(p: Tensor, z: Tensor) -> Tensor:
    p, z = nn.functional.normalize(p, dim=-1), nn.functional.normalize(z, dim=-1)
    return 2 - 2 * (p * z).sum(-1)


class BYOL:
    def __init__(self, total: int):
        self.online, self.predictor = Online(), MLPHead(8, 16, 8)
        self.ema = Ema(self.online)
        self.aug = RandomErase(0.8, 3)
        params = [*self.online.parameters(), *self.predictor.parameters()]
        self.opt = torch.optim.SGD(params, lr=0.05, momentum=0.9)
        self.total, self.step = total, 0

    def fit(self, batches: Iterable[Tensor]) -> list:
        log = []
        for x in batches:
            a, b = self.aug(x), self.aug(x)
            pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
            with torch.no_grad():
                za, zb = self.ema.net(a), self.ema.net(b)
            loss = (regression(pa, zb) + regression(pb, za)).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
            self.ema.update(self.online, self.ema.tau(self.step, self.total))
            log.append(loss.item())
        return log


# --- driver ---
torch.manual_seed(2)
print(BYOL(10).fit(torch.randn(4, 3, 8, 8) for _ in range(2)))
