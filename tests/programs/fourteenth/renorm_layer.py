"""Streaming normalisation: batches are whitened by running moments, so tiny batches work."""
import torch
from torch import nn, Tensor


class RunningMoments(nn.Module):
    mean: Tensor
    std: Tensor

    def __init__(self, features: int, rate: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.rate, self.eps = rate, eps
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("std", torch.ones(features))
        self.register_buffer("seen", torch.tensor(0))

    @torch.no_grad()
    def update(self, x: Tensor) -> None:
        self.seen += 1
        rate = max(self.rate, 1.0 / int(self.seen))
        self.mean += rate * (x.mean(0) - self.mean)
        self.std += rate * (x.std(0, unbiased=False).clamp_min(self.eps) - self.std)  # BUG


class StreamNorm(nn.Module):
    def __init__(self, features: int, **kw) -> None:
        super().__init__()
        self.moments = RunningMoments(features, **kw)
        self.gain = nn.Parameter(torch.ones(features))
        self.shift = nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        z = (x - self.moments.mean) / self.moments.std
        if self.training:
            self.moments.update(x.detach())
        return torch.addcmul(self.shift, z, self.gain)


def mlp(sizes: list[int], norm: type[nn.Module] = StreamNorm) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers += [norm(b), nn.Softplus()]
    return nn.Sequential(*layers)


class OnlineRegressor:
    """Sees one small batch at a time and never again."""

    def __init__(self, net: nn.Module, lr: float = 1e-2) -> None:
        self.net = net
        self.opt = torch.optim.RMSprop(net.parameters(), lr=lr)
        self.err: list[float] = []

    def observe(self, x: Tensor, y: Tensor) -> float:
        self.net.train()
        loss = nn.functional.huber_loss(self.net(x).squeeze(-1), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.err.append(loss.item())
        return self.err[-1]

    @torch.inference_mode()
    def predict(self, x: Tensor) -> Tensor:
        self.net.eval()
        return self.net(x).squeeze(-1)


def drifting_task(steps: int, batch: int, dim: int):
    w = torch.randn(dim)
    for _ in range(steps):
        w = w + 0.05 * torch.randn(dim)
        x = 3 + 2 * torch.randn(batch, dim)
        yield x, x @ w


# --- driver ---
torch.manual_seed(8)
learner = OnlineRegressor(mlp([6, 16, 16, 1]))
for x, y in drifting_task(4, 3, 6):
    learner.observe(x, y)
print(learner.err, learner.predict(x))
