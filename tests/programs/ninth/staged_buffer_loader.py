import numpy as np
import torch
import torch.nn as nn


class RingRecorder:
    """Synthetic accelerometer traces."""

    def __init__(self, n, length, channels, seed=0):
        rng = np.random.default_rng(seed)
        t = np.linspace(0, 6.28, length)
        freq = rng.integers(1, 4, n)
        base = np.sin(freq[:, None] * t)[..., None]
        self.x = (base + 0.2 * rng.normal(size=(n, length, channels))).astype(np.float32)
        self.y = freq - 1

    def __len__(self):
        return len(self.x)


class StagingLoader:
    """Fills one page of host memory and hands out tensors over it."""

    def __init__(self, ds, batch, augment=True, seed=0):
        self.ds, self.batch, self.augment = ds, batch, augment
        self.rng = np.random.default_rng(seed)
        self.page = np.empty((batch,) + ds.x.shape[1:], dtype=np.float32)
        self.labels = np.empty(batch, dtype=np.int64)

    def _fill(self, idx):
        np.copyto(self.page, self.ds.x[idx])  # BUG silent
        self.labels[:] = self.ds.y[idx]
        if self.augment:
            scale = self.rng.uniform(0.8, 1.2, size=(len(idx), 1, 1)).astype(np.float32)
            np.multiply(self.page, scale, out=self.page)

    def __iter__(self):
        order = self.rng.permutation(len(self.ds))
        for s in range(0, len(order) - self.batch + 1, self.batch):
            self._fill(order[s:s + self.batch])
            yield torch.from_numpy(self.page), torch.from_numpy(self.labels.copy())


class ConvGRU(nn.Module):
    def __init__(self, channels, width, classes):
        super().__init__()
        self.inp = nn.Linear(channels, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, classes)

    def forward(self, x):
        h, _ = self.gru(torch.relu(self.inp(x)))
        return self.out(h.mean(1))


class Accumulator:
    def __init__(self, model, opt, micro):
        self.model, self.opt, self.micro = model, opt, micro
        self.crit = nn.CrossEntropyLoss()

    def epoch(self, loader):
        pending, logs = [], []
        for x, y in loader:
            pending.append(self.crit(self.model(x), y))
            if len(pending) == self.micro:
                loss = torch.stack(pending).mean()
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                logs.append(loss.item())
                pending.clear()
        return logs


# --- driver ---
torch.manual_seed(31)
loader = StagingLoader(RingRecorder(12, 10, 3), batch=3)
net = ConvGRU(3, 6, 3)
acc = Accumulator(net, torch.optim.SGD(net.parameters(), lr=0.1), micro=2)
print(acc.epoch(loader))
