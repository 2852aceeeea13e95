import math
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class AudioCfg:
    sr: int = 800
    n_fft: int = 64
    hop: int = 32
    n_mels: int = 8
    eps: float = 1e-6


def mel_filterbank(cfg):
    hz2mel = lambda f: 2595 * math.log10(1 + f / 700)
    mel2hz = lambda m: 700 * (10 ** (m / 2595) - 1)
    pts = [mel2hz(m) for m in np.linspace(0, hz2mel(cfg.sr / 2), cfg.n_mels + 2)]
    bins = np.floor((cfg.n_fft + 1) * np.array(pts) / cfg.sr).astype(int)
    fb = torch.zeros(cfg.n_fft // 2 + 1, cfg.n_mels)
    for m in range(1, cfg.n_mels + 1):
        l, c, r = bins[m - 1], max(bins[m], bins[m - 1] + 1), max(bins[m + 1], bins[m] + 2)
        for k in range(l, min(c, len(fb))):
            fb[k, m - 1] = (k - l) / (c - l)
        for k in range(c, min(r, len(fb))):
            fb[k, m - 1] = (r - k) / (r - c)
    return fb


class LearnableMel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.register_buffer("window", torch.hann_window(cfg.n_fft))
        self.fb = nn.Parameter(mel_filterbank(cfg))
        self.gain = nn.Parameter(torch.ones(cfg.n_mels))

    def forward(self, wav):
        spec = torch.stft(wav, self.cfg.n_fft, self.cfg.hop, window=self.window, return_complex=True)
        power = spec.real.square().add_(spec.imag.square())
        mel = power.transpose(1, 2) @ self.fb.relu()
        mel += self.cfg.eps
        mel = mel.log()
        mel -= mel.detach().mean(1, keepdim=True)
        return mel * self.gain


class SpecAugment:
    def __init__(self, f=2, t=4, p=0.8):
        self.f, self.t, self.p = f, t, p

    def __call__(self, mel):
        keep = torch.ones_like(mel)
        for row in keep:
            if random.random() > self.p:
                continue
            f0, t0 = random.randrange(mel.shape[2] - self.f), random.randrange(mel.shape[1] - self.t)
            row[:, f0 : f0 + self.f] = 0
            row[t0 : t0 + self.t] = 0
        return mel * keep


class DSConv(nn.Sequential):
    def __init__(self, c_in, c_out):
        super().__init__(
            nn.Conv1d(c_in, c_in, 3, padding=1, groups=c_in), nn.Conv1d(c_in, c_out, 1),
            nn.BatchNorm1d(c_out), nn.ReLU6(inplace=True),
        )


class KWS(nn.Module):
    def __init__(self, cfg, n_cls=4, aug=None):
        super().__init__()
        self.frontend, self.aug = LearnableMel(cfg), aug
        self.body = nn.Sequential(DSConv(cfg.n_mels, 12), DSConv(12, 12))
        self.fc = nn.Linear(12, n_cls)

    def forward(self, wav):
        mel = self.frontend(wav)
        if self.training and self.aug is not None:
            mel = self.aug(mel)
        return self.fc(self.body(mel.transpose(1, 2)).mean(-1))


def preemphasis(wav, coef=0.97):
    out = wav.clone()
    out[:, 1:] -= coef * wav[:, :-1]
    out /= out.abs().amax(1, keepdim=True).clamp_(min=1e-6)
    return out


def add_noise(wav, snr_db):
    noise = torch.randn_like(wav)
    noise *= (wav.pow(2).mean() / (10 ** (snr_db / 10))).sqrt_()
    return noise.add_(wav)


# --- driver ---
torch.manual_seed(0)
random.seed(0)
model = KWS(AudioCfg(), aug=SpecAugment())
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(2):
    x = add_noise(preemphasis(torch.randn(3, 480)), 10)
    opt.zero_grad()
    F.cross_entropy(model(x), torch.randint(0, 4, (3,))).backward()
    opt.step()
