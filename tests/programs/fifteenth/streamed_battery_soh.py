"""Battery state-of-health from charge curves, streamed through a staging array."""
import numpy as np
import torch
from torch import nn


class CurveStore:
    def __init__(self, cells=30, points=24, seed=0):
        rng = np.random.default_rng(seed)
        fade = rng.uniform(0.7, 1.0, size=cells)
        v = np.linspace(0, 1, points)
        self.curves = 3.0 + 1.2 * v[None] ** fade[:, None] + 0.01 * rng.normal(size=(cells, points))
        self.health = fade.astype(np.float32)


class Stage:
    """Normalises a block of curves in a buffer that is allocated once."""

    def __init__(self, store, batch):
        self.store = store
        self.scratch = np.empty((batch, store.curves.shape[1]), dtype=np.float32)

    def fill(self, idx):
        self.scratch[...] = self.store.curves[idx]
        self.scratch -= self.scratch.mean(axis=1, keepdims=True)
        self.scratch /= self.scratch.std(axis=1, keepdims=True)
        return torch.tensor(self.scratch), torch.from_numpy(self.store.health[idx])


def prefetch(items, load):
    """Load one item ahead of the consumer."""
    items = iter(items)
    ready = load(next(items))
    for nxt in items:
        current, ready = ready, load(nxt)
        yield current
    yield ready


class ReadyStepper:
    """Updates every parameter from a hook once its gradient has been accumulated."""

    def __init__(self, params, lr, decay=0.0):
        self.lr, self.decay = lr, decay
        self.second = {}
        self.handles = [p.register_post_accumulate_grad_hook(self.on_ready) for p in params]

    @torch.no_grad()
    def on_ready(self, p):
        s = self.second.setdefault(p, torch.zeros_like(p))
        s.mul_(0.9).addcmul_(p.grad, p.grad, value=0.1)
        if self.decay:
            p.mul_(1 - self.lr * self.decay)
        p.addcdiv_(p.grad, s.sqrt().add_(1e-8), value=-self.lr)
        p.grad = None

    def detach(self):
        for h in self.handles:
            h.remove()


class CurveNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, width, 5, padding=2), nn.ReLU(inplace=True), nn.Conv1d(width, width, 5, padding=2), nn.ReLU(inplace=True)
        )
        self.out = nn.Linear(2 * width, 1)

    def forward(self, x):
        h = self.conv(x.unsqueeze(1))
        return self.out(torch.cat([h.mean(-1), h.amax(-1)], 1)).squeeze(1)


def batches(n, size, rng):
    order = rng.permutation(n)
    return np.split(order[: n // size * size], n // size)


# --- driver ---
def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    store = CurveStore()
    stage = Stage(store, 10)
    net = CurveNet()
    stepper = ReadyStepper(net.parameters(), lr=1e-3, decay=0.01)
    for x, y in prefetch(batches(len(store.health), 10, rng), stage.fill):
        pred = net(x)
        loss = nn.functional.mse_loss(pred, y)
        loss.backward()
        print(f"{loss.item():.5f}")
    stepper.detach()


if __name__ == "__main__":
    main()
