"""Learned wavetable oscillator with an attack/decay envelope and a soft clipper."""
import torch
from torch import nn
from typing import Dict, Type

STAGES: Dict[str, Type["Stage"]] = {}


def stage(name):
    def deco(cls):
        STAGES[name] = cls
        cls.tag = name
        return cls
    return deco


class Stage(nn.Module):
    def forward(self, audio, ctl):
        raise NotImplementedError


@stage("drive")
class Drive(Stage):
    def __init__(self):
        super().__init__()
        self.pre = nn.Parameter(torch.tensor(1.5))

    def forward(self, audio, ctl):
        return torch.tanh(self.pre * audio)


@stage("env")
class Envelope(Stage):
    def __init__(self):
        super().__init__()
        self.rate = nn.Parameter(torch.tensor(3.0))

    def forward(self, audio, ctl):
        t = torch.linspace(0, 1, audio.shape[-1])
        return audio * torch.exp(-self.rate.abs() * t) * ctl["gain"][:, None]


@stage("fade")
class Fade(Stage):
    """Short linear ramps at both ends, to avoid clicks."""

    def __init__(self, n=8):
        super().__init__()
        self.n = n

    def forward(self, audio, ctl):
        win = torch.ones(audio.shape[-1])
        win[: self.n] = torch.linspace(0, 1, self.n)
        win[-self.n :] = win[: self.n].flip(0)
        return audio * win


@stage("dc")
class DcBlock(Stage):
    def forward(self, audio, ctl):
        audio.sub_(audio.mean(-1, keepdim=True))  # BUG
        return audio


class Wavetable(nn.Module):
    def __init__(self, tables=4, size=32):
        super().__init__()
        self.table = nn.Parameter(torch.randn(tables, size).cumsum(1) * 0.1)
        self.size = size

    def forward(self, freq, mix, n, sr=1000):
        pos = torch.arange(n) * freq[:, None] / sr * self.size % self.size
        lo = pos.floor().long() % self.size
        frac = pos - pos.floor()
        wave = mix @ self.table
        return torch.lerp(wave.gather(1, lo), wave.gather(1, (lo + 1) % self.size), frac)


class Synth(nn.Module):
    def __init__(self, chain):
        super().__init__()
        self.osc = Wavetable()
        self.chain = nn.ModuleList(STAGES[c]() for c in chain)
        self.params = nn.Sequential(nn.Linear(6, 16), nn.ReLU(inplace=True), nn.Linear(16, 5))

    def forward(self, feats, freq, n):
        p = self.params(feats)
        audio = self.osc(freq, p[:, :4].softmax(-1), n)
        ctl = {"gain": torch.sigmoid(p[:, 4])}
        for st in self.chain:
            audio = st(audio, ctl)
        return audio


def spectral(x, y, n=32):
    w = torch.hann_window(n)
    mag = lambda s: torch.stft(s, n, 8, window=w, return_complex=True).abs()
    return (mag(x) - mag(y)).abs().mean()


def fit(synth, batches):
    opt = torch.optim.Adam(synth.parameters(), 1e-3)
    for feats, freq, target in batches:
        loss = spectral(synth(feats, freq, target.shape[1]), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(38)
s = Synth(["env", "drive", "dc"])
print(list(fit(s, [(torch.randn(3, 6), torch.rand(3) * 80 + 20, torch.randn(3, 128)) for _ in range(2)])))
