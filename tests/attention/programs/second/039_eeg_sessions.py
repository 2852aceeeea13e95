"""Ragged EEG sessions, one recording at a time -- no padding anywhere."""
import numpy as np
import torch
import torch.nn as nn


class Numerics:
    """Small numerics that we want identical to the MATLAB reference."""

    @staticmethod
    def normalise_rows(s):
        s = s - s.max(dim=1, keepdim=True).values
        e = torch.exp(s)
        return e / e.sum(dim=1, keepdim=True)  # ATTN

    @staticmethod
    def band_power(x, edges, rate):
        spec = torch.fft.rfft(x, dim=-1).abs() ** 2
        freqs = torch.fft.rfftfreq(x.shape[-1], 1.0 / rate)
        return torch.stack([spec[..., (freqs >= lo) & (freqs < hi)].mean(-1) for lo, hi in edges], -1)


class EpochMixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.wq = nn.Parameter(torch.empty(width, width))
        self.wk = nn.Parameter(torch.empty(width, width))
        self.wv = nn.Parameter(torch.empty(width, width))
        for w in (self.wq, self.wk, self.wv):
            nn.init.orthogonal_(w)
        self.width = width

    def forward(self, epochs):
        # epochs: (n_epochs, width)
        q = torch.mm(epochs, self.wq)
        k = torch.mm(epochs, self.wk)
        v = torch.mm(epochs, self.wv)
        s = torch.mm(q, k.t()) / np.sqrt(self.width)
        p = Numerics.normalise_rows(s)
        return torch.mm(p, v)


class SleepStager(nn.Module):
    BANDS = ((0.5, 4), (4, 8), (8, 13), (13, 30))

    def __init__(self, channels=3, width=10, stages=5, rate=64):
        super().__init__()
        self.rate = rate
        self.inp = nn.Linear(channels * len(self.BANDS), width)
        self.mixers = nn.ModuleList(EpochMixer(width) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, stages)

    def one(self, rec):
        # (channels, n_epochs, samples)
        bp = Numerics.band_power(rec, self.BANDS, self.rate)
        x = self.inp(torch.log1p(bp).permute(1, 0, 2).flatten(1))
        for mix in self.mixers:
            x = x + mix(self.norm(x))
        return self.out(x)

    def forward(self, recordings):
        return [self.one(r) for r in recordings]


# --- driver ---
torch.manual_seed(39)
stager = SleepStager().double().eval()
RESULTS = []
for lengths in ((4, 9), (12,)):
    recs = [torch.randn(3, n, 64, dtype=torch.float64, requires_grad=True) for n in lengths]
    stager.zero_grad()
    outs = stager(recs)
    sum(o.log_softmax(-1)[:, 1].sum() for o in outs).backward()
    RESULTS += [o.detach() for o in outs] + [r.grad for r in recs]
    RESULTS += [p.grad.clone() for p in stager.parameters()]
