import math
from typing import List, Tuple

import torch
from torch import Tensor, nn


class Coupling(nn.Module):
    def __init__(self, d: int, h: int, flip: bool):
        super().__init__()
        self.st = nn.Sequential(nn.Linear(d // 2, h), nn.ReLU(inplace=True), nn.Linear(h, h), nn.ReLU(inplace=True), nn.Linear(h, d))
        self.scale = nn.Parameter(torch.zeros(d // 2))
        idx = torch.arange(d)
        a, b = idx[::2], idx[1::2]
        self.register_buffer("ia", b if flip else a)
        self.register_buffer("ib", a if flip else b)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        xa, xb = x[:, self.ia], x[:, self.ib]
        s, t = self.st(xa).chunk(2, 1)
        s = torch.tanh(s) * self.scale.exp()
        y = torch.empty_like(x)
        y[:, self.ia] = xa
        yb = xb * s.exp()
        yb += t
        y[:, self.ib] = yb
        return y, s.sum(1)

    @torch.no_grad()
    def inverse(self, y: Tensor) -> Tensor:
        s, t = self.st(y[:, self.ia]).chunk(2, 1)
        s = torch.tanh(s) * self.scale.exp()
        y[:, self.ib] = (y[:, self.ib] - t) * torch.exp(-s)
        return y


class ActNorm(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(d))
        self.log_scale = nn.Parameter(torch.zeros(d))
        self.register_buffer("initialized", torch.tensor(0, dtype=torch.uint8))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        if self.initialized.item() == 0:
            with torch.no_grad():
                self.loc.data.copy_(-x.mean(0))
                self.log_scale.data.copy_(-x.std(0).log_())
                self.initialized.fill_(1)
        y = (x + self.loc) * self.log_scale.exp()
        return y, self.log_scale.sum().expand(x.size(0))

    @torch.no_grad()
    def inverse(self, y: Tensor) -> Tensor:
        return y.mul_(torch.exp(-self.log_scale)).sub_(self.loc)


class Flow(nn.Module):
    def __init__(self, d: int, k: int):
        super().__init__()
        layers: List[nn.Module] = []
        for i in range(k):
            layers += [ActNorm(d), Coupling(d, 24, bool(i % 2))]
        self.layers = nn.ModuleList(layers)
        self.d = d

    def log_prob(self, x: Tensor) -> Tensor:
        log_det = x.new_zeros(x.size(0))
        for l in self.layers:
            x, ld = l(x)
            log_det += ld
        logp = x.pow(2).sum(1).mul_(-0.5).sub_(0.5 * self.d * math.log(2 * math.pi))
        logp += log_det
        return logp

    def sample(self, n: int) -> Tensor:
        z = torch.randn(n, self.d)
        for l in reversed(self.layers):
            z = l.inverse(z)
        return z


def main() -> None:
    torch.manual_seed(54)
    torch.set_num_threads(1)
    flow = Flow(4, 3)
    opt = torch.optim.Adam(flow.parameters(), 5e-3)
    A = torch.randn(4, 4)
    for it in range(10):
        x = torch.randn(64, 4) @ A
        x[:, 0] += x[:, 1] ** 2
        loss = -flow.log_prob(x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 3 == 0:
            print(it, round(loss.item(), 4), round(flow.sample(16).std().item(), 4))


if __name__ == "__main__":
    main()
