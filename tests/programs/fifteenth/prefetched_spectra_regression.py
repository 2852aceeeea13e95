"""Regress material properties from spectra that are streamed through a staging buffer."""
import numpy as np
import torch
import torch.nn as nn


class SpectraFile:
    """Stands in for a large memory-mapped file of float64 spectra."""

    def __init__(self, n, bins, seed=0):
        rng = np.random.default_rng(seed)
        self.spectra = rng.normal(size=(n, bins)).cumsum(axis=1)
        self.props = np.stack([self.spectra.mean(1), self.spectra.std(1)], 1).astype(np.float32)

    def __len__(self):
        return len(self.spectra)


class StagedReader:
    """Converts blocks to float32 in a staging area allocated once."""

    def __init__(self, source, batch, rng):
        self.source, self.batch, self.rng = source, batch, rng
        self.stage = np.empty((batch, source.spectra.shape[1]), dtype=np.float32)

    def _load(self, idx):
        block = self.source.spectra[idx]
        lo = block.min(axis=1, keepdims=True)
        span = np.ptp(block, axis=1)[:, None] + 1e-9
        np.divide(block - lo, span, out=self.stage, casting="unsafe")  # BUG silent
        return torch.from_numpy(self.stage), torch.from_numpy(self.source.props[idx])

    def __iter__(self):
        order = self.rng.permutation(len(self.source))
        for i in range(0, len(order) - self.batch + 1, self.batch):
            yield self._load(order[i:i + self.batch])


class Lookahead:
    """Fetches the following item while the current one is still being processed."""

    def __init__(self, it):
        self.it = iter(it)
        self.item = next(self.it, None)

    def advance(self):
        self.item = next(self.it, None)

    @property
    def exhausted(self):
        return self.item is None


class SpectraNet(nn.Module):
    def __init__(self, bins, width=32):
        super().__init__()
        self.mix = nn.Linear(bins, width)
        self.trunk = nn.Sequential(nn.Softplus(), nn.Linear(width, width), nn.Softplus())
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        return self.out(self.trunk(self.mix(x)))


def train(net, reader, opt, max_steps):
    feed, step = Lookahead(reader), 0
    crit = nn.MSELoss()
    while not feed.exhausted and step < max_steps:
        x, y = feed.item
        loss = crit(net(x), y)
        feed.advance()
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        yield loss.item()


# --- driver ---
def main():
    torch.manual_seed(0)
    src = SpectraFile(48, 20)
    reader = StagedReader(src, 8, np.random.default_rng(1))
    net = SpectraNet(20)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for i, loss in enumerate(train(net, reader, opt, 3)):
        print(i, f"{loss:.4f}")


if __name__ == "__main__":
    main()
