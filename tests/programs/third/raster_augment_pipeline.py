"""Collation with in-memory augmentation for multispectral tiles."""
import random
from abc import ABC, abstractmethod
from typing import List, Sequence

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset):
    def __init__(self, n: int, bands: int, size: int):
        g = torch.Generator().manual_seed(n)
        self.x = torch.rand(n, bands, size, size, generator=g).mul_(10000)
        self.y = (self.x[:, 0].mean((1, 2)) > self.x[:, 1].mean((1, 2))).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i].clone(), self.y[i]


class Op(ABC):
    @abstractmethod
    def __call__(self, x: Tensor) -> Tensor:
        ...


class Standardise(Op):
    def __init__(self, mean: Sequence[float], std: Sequence[float]):
        self.mean = torch.tensor(mean)[:, None, None]
        self.std = torch.tensor(std)[:, None, None]

    def __call__(self, x):
        return x.sub_(self.mean).div_(self.std)


class BandDropout(Op):
    def __init__(self, p):
        self.p = p

    def __call__(self, x):
        x[torch.rand(len(x)) < self.p] = 0
        return x


class Erase(Op):
    def __init__(self, side):
        self.side = side

    def __call__(self, x):
        i, j = (random.randint(0, s - self.side) for s in x.shape[-2:])
        x[:, i:i + self.side, j:j + self.side].normal_()
        return x


class FlipRot(Op):
    def __call__(self, x):
        if random.random() < 0.5:
            x = x.flip(-1)
        return torch.rot90(x, random.randint(0, 3), (-2, -1))


class Collate:
    def __init__(self, ops: List[Op], mix: float = 0.4):
        self.ops, self.mix = ops, mix

    def __call__(self, items):
        xs, ys = zip(*items)
        for i, op in ((i, op) for i in range(len(xs)) for op in self.ops[:1]):
            op(xs[i])
        out = torch.stack([self._rest(x) for x in xs])
        y = nn.functional.one_hot(torch.stack(ys), 2).float()
        lam = float(torch.distributions.Beta(self.mix, self.mix).sample())
        perm = torch.randperm(len(out))
        for t in (out, y):
            other = t[perm]
            t.mul_(lam).add_(other, alpha=1 - lam)
        return out, y

    def _rest(self, x):
        for op in self.ops[1:]:
            x = op(x)
        return x


def train(loader, net, lr=0.01):
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(47); random.seed(47)
ops = [Standardise([5000.0] * 3, [2900.0] * 3), BandDropout(0.1), Erase(2), FlipRot()]
loader = DataLoader(Tiles(8, 3, 6), batch_size=4, collate_fn=Collate(ops))
train(loader, nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(64, 2)))
