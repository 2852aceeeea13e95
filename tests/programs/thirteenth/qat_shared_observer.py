import abc
import torch
from torch import nn
import torch.nn.functional as F


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class ObserverBase(nn.Module, abc.ABC):
    def __init__(self, bits: int = 8):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1
        self.register_buffer("scale", torch.ones(1))
        self.register_buffer("initialised", torch.tensor(False))

    @abc.abstractmethod
    def estimate(self, x: torch.Tensor) -> torch.Tensor:
        ...

    @torch.no_grad()
    def observe(self, x: torch.Tensor) -> None:
        amax = self.estimate(x)
        self.scale.copy_(amax.clamp(min=1e-8) / self.qmax)  # BUG
        self.initialised.fill_(True)


class MinMaxObserver(ObserverBase):
    def __init__(self, bits=8):
        super().__init__(bits)
        self.register_buffer("amax", torch.zeros(1))

    def estimate(self, x):
        self.amax = torch.maximum(self.amax, x.abs().max())
        return self.amax


class EMAObserver(ObserverBase):
    def __init__(self, bits=8, momentum=0.9):
        super().__init__(bits)
        self.momentum = momentum
        self.register_buffer("avg", torch.zeros(1))

    def estimate(self, x):
        cur = x.abs().max()
        self.avg.lerp_(cur, 1.0 if not self.initialised else 1 - self.momentum)
        return self.avg


class FakeQuant(nn.Module):
    def __init__(self, observer: ObserverBase):
        super().__init__()
        self.observer = observer

    def forward(self, x):
        if self.training:
            self.observer.observe(x.detach())
        s, q = self.observer.scale, self.observer.qmax
        return RoundSTE.apply((x / s).clamp(-q, q)) * s


class QLinear(nn.Linear):
    def __init__(self, i, o, bits=8):
        super().__init__(i, o)
        self.wq = FakeQuant(MinMaxObserver(bits))
        self.aq = FakeQuant(EMAObserver(bits))

    def forward(self, x):
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)


class TwoTower(nn.Module):
    """Query and document go through the same quantised encoder."""

    def __init__(self, dim=20, out=8, bits=6):
        super().__init__()
        self.l1, self.l2 = QLinear(dim, 24, bits), QLinear(24, out, bits)

    def encode(self, x):
        return F.normalize(self.l2(F.relu(self.l1(x))), dim=-1)

    def forward(self, q, d):
        return self.encode(q) @ self.encode(d).t()


# --- driver ---
torch.manual_seed(0)
net = TwoTower()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(3):
    q = torch.randn(12, 20)
    sim = net(q, q + 0.2 * torch.randn_like(q)) / 0.1
    loss = F.cross_entropy(sim, torch.arange(12))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
