import math
from typing import Tuple, Type

import torch
from torch import Tensor, nn


def grad_scale(x: Tensor, scale: float) -> Tensor:
    y = x * scale
    return (x - y).detach() + y


def round_ste(x: Tensor) -> Tensor:
    return (x.round() - x).detach() + x


class LSQ(nn.Module):
    """Learned step size quantiser."""

    def __init__(self, bits: int = 4, signed: bool = True):
        super().__init__()
        self.qn = -(2 ** (bits - 1)) if signed else 0
        self.qp = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        self.step = nn.Parameter(torch.ones(()))
        self.register_buffer("init_done", torch.zeros((), dtype=torch.bool))

    def initialise(self, x: Tensor) -> None:
        with torch.no_grad():
            self.step.copy_(2 * x.abs().mean() / math.sqrt(max(self.qp, 1)))
            self.init_done.fill_(True)

    def clamp_step(self, floor: float = 1e-4) -> None:
        with torch.no_grad():
            self.step.clamp_(min=floor)  # BUG

    def forward(self, x: Tensor) -> Tensor:
        if not bool(self.init_done):
            self.initialise(x.detach())
        g = 1.0 / math.sqrt(x.numel() * max(self.qp, 1))
        reg = grad_scale(self.step, g)
        q = round_ste((x / self.step).clamp(self.qn, self.qp))
        self.clamp_step()
        return q * reg


class QuantMixin:
    def add_quant(self, wbits: int, abits: int) -> None:
        self.wq = LSQ(wbits)
        self.aq = LSQ(abits, signed=False)

    def quantised(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        return self.aq(x), self.wq(self.weight)


class QLinear(nn.Linear, QuantMixin):
    def __init__(self, i: int, o: int, wbits: int = 4, abits: int = 4):
        super().__init__(i, o)
        self.add_quant(wbits, abits)

    def forward(self, x: Tensor) -> Tensor:
        x, w = self.quantised(x)
        return nn.functional.linear(x, w, self.bias)


class QConv2d(nn.Conv2d, QuantMixin):
    def __init__(self, i: int, o: int, k: int, wbits: int = 4, abits: int = 4, **kw):
        super().__init__(i, o, k, **kw)
        self.add_quant(wbits, abits)

    def forward(self, x: Tensor) -> Tensor:
        x, w = self.quantised(x)
        return self._conv_forward(x, w, self.bias)


def build(conv: Type[nn.Module] = QConv2d, lin: Type[nn.Module] = QLinear) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True),
        conv(4, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), lin(8, 3),
    )


def qat(model: nn.Module, loader, lr: float = 1e-2) -> list:
    steps = [p for n, p in model.named_parameters() if n.endswith(".step")]
    rest = [p for n, p in model.named_parameters() if not n.endswith(".step")]
    opt = torch.optim.SGD([{"params": rest}, {"params": steps, "lr": lr * 0.1}], lr=lr, momentum=0.9)
    out = []
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        out.append(loss.item())
    return out


# --- driver ---
torch.manual_seed(0)
qat(build(), [(torch.rand(4, 1, 8, 8), torch.randint(3, (4,)))])
