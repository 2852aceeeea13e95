"""Anomaly scoring on an endless sensor stream, trained with truncated BPTT."""
from dataclasses import dataclass
from typing import Iterator, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class StreamConfig:
    channels: int = 4
    hidden: int = 16
    window: int = 8
    batch: int = 3
    lr: float = 1e-2


class SRUCell(nn.Module):
    """Simple recurrent unit with a highway connection."""

    def __init__(self, d_in, d_h):
        super().__init__()
        self.proj = nn.Linear(d_in, 3 * d_h)
        self.skip = nn.Linear(d_in, d_h, bias=False) if d_in != d_h else nn.Identity()

    def forward(self, x, c):
        xt, f, r = self.proj(x).chunk(3, dim=-1)
        f, r = torch.sigmoid(f), torch.sigmoid(r)
        c = f * c + (1 - f) * xt
        return r * torch.tanh(c) + (1 - r) * self.skip(x), c


class StreamPredictor(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cells = nn.ModuleList([SRUCell(cfg.channels, cfg.hidden), SRUCell(cfg.hidden, cfg.hidden)])
        self.out = nn.Linear(cfg.hidden, cfg.channels)
        self.hidden = cfg.hidden

    def zero_state(self, batch):
        return [torch.zeros(batch, self.hidden) for _ in self.cells]

    def forward(self, x, state):
        preds = torch.empty_like(x)
        for t in range(x.size(1)):
            h = x[:, t]
            new = []
            for cell, c in zip(self.cells, state):
                h, c = cell(h, c)
                new.append(c)
            state = new
            preds[:, t] = self.out(h)
        return preds, state


class StatefulTrainer:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.state: Optional[list] = None
        self.err_mean, self.err_var = torch.zeros(cfg.channels), torch.ones(cfg.channels)

    def repackage(self, state):
        return [s.detach() for s in state]

    def track(self, err, m=0.1):
        e = err.detach().flatten(0, 1)
        self.err_mean.lerp_(e.mean(0), m)
        self.err_var.lerp_(e.var(0), m)

    def step(self, window, restart):
        if self.state is None:
            self.state = self.model.zero_state(window.size(0))
        for s in self.state:
            s[restart] = 0.0
        pred, state = self.model(window[:, :-1], self.state)
        err = pred - window[:, 1:]
        loss = F.huber_loss(pred, window[:, 1:])
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.state = self.repackage(state)
        self.track(err)
        return loss.item()

    def score(self, err):
        z = (err - self.err_mean) / self.err_var.sqrt()
        return z.pow_(2).sum(-1)


def stream(cfg) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
    t0 = 0
    while True:
        t = torch.arange(t0, t0 + cfg.window + 1).float()
        x = torch.sin(0.3 * t)[None, :, None] + 0.1 * torch.randn(cfg.batch, cfg.window + 1, cfg.channels)
        yield x, torch.rand(cfg.batch) < 0.2
        t0 += cfg.window


# --- driver ---
cfg = StreamConfig()
trainer = StatefulTrainer(StreamPredictor(cfg), cfg)
print([trainer.step(x, r) for _, (x, r) in zip(range(3), stream(cfg))])
