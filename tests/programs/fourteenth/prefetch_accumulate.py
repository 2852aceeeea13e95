"""Training from a ring of reusable host buffers, with several micro-batches per update."""
import numpy as np
import torch
import torch.nn as nn


class SignalSource:
    """Produces windows of a synthetic sensor signal in the caller's array."""

    def __init__(self, channels, length, seed=0):
        self.rng = np.random.default_rng(seed)
        self.channels, self.length = channels, length

    def fill(self, out, labels):
        phase = self.rng.uniform(0, 2 * np.pi, size=(out.shape[0], self.channels, 1))
        labels[:] = self.rng.integers(0, 3, size=out.shape[0])
        t = np.linspace(0, 1, self.length)
        freq = (labels + 1)[:, None, None] * 2 * np.pi
        clean = np.sin(freq * t + phase)
        np.add(clean, self.rng.normal(0, 0.1, size=clean.shape), out=out, casting="same_kind")  # BUG silent


class BufferedLoader:
    """Avoids allocations: `slots` pairs of arrays, wrapped once as tensors."""

    def __init__(self, source, batch, slots=1):
        shape = (batch, source.channels, source.length)
        self.source = source
        self.arrays = [(np.empty(shape, np.float32), np.empty(batch, np.int64)) for _ in range(slots)]
        self.tensors = [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in self.arrays]
        self.turn = 0

    def next(self):
        slot = self.turn % len(self.arrays)
        self.turn += 1
        self.source.fill(*self.arrays[slot])
        x, y = self.tensors[slot]
        return x, y.clone()


class ConvClassifier(nn.Module):
    def __init__(self, channels, classes, width=8):
        super().__init__()
        self.front = nn.Conv1d(channels, width, 5, padding=2)
        self.mid = nn.Conv1d(width, width, 5, padding=2, stride=2)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = torch.tanh(self.front(x))
        x = torch.tanh(self.mid(x))
        return self.head(x.mean(-1))


class BalancedAccumulator:
    """Sums micro-batch losses, weighting the harder ones more, then one backward."""

    def __init__(self, model, loader, micro, lr):
        self.model, self.loader, self.micro = model, loader, micro
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def update(self):
        losses = []
        for _ in range(self.micro):
            x, y = self.loader.next()
            losses.append(nn.functional.cross_entropy(self.model(x), y))
        losses = torch.stack(losses)
        weights = torch.softmax(losses.detach(), 0)
        total = (weights * losses).sum()
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()


# --- driver ---
torch.manual_seed(0)
loader = BufferedLoader(SignalSource(channels=2, length=24), batch=6)
acc = BalancedAccumulator(ConvClassifier(2, 3), loader, micro=3, lr=0.05)
print([acc.update() for _ in range(3)])
