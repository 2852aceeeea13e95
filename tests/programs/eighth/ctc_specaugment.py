import math
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class AudioConfig:
    n_fft: int = 32
    hop: int = 16
    mels: int = 10
    freq_masks: int = 1
    time_masks: int = 2
    max_width: int = 3
    classes: int = 6


def mel_filterbank(bins, mels):
    pts = torch.linspace(0, bins - 1, mels + 2)
    fb = torch.zeros(mels, bins)
    k = torch.arange(bins).float()
    for m in range(mels):
        lo, mid, hi = pts[m], pts[m + 1], pts[m + 2]
        up = (k - lo) / (mid - lo)
        fb[m] = torch.minimum(up, (hi - k) / (hi - mid)).clamp_(min=0)
    return fb


class LogMel(nn.Module):
    def __init__(self, c: AudioConfig):
        super().__init__()
        self.c = c
        self.register_buffer("fb", mel_filterbank(c.n_fft // 2 + 1, c.mels))
        self.register_buffer("win", torch.hann_window(c.n_fft))

    @torch.no_grad()
    def forward(self, wav):
        spec = torch.stft(wav, self.c.n_fft, self.c.hop, window=self.win, return_complex=True)
        mel = self.fb @ spec.abs().pow_(2)
        mel.clamp_(min=1e-8).log_()
        mel -= mel.mean(-1, keepdim=True)
        mel /= mel.std(-1, keepdim=True) + 1e-5
        return mel


class SpecAugment:
    def __init__(self, c):
        self.c = c

    def __call__(self, mel):
        b, f, t = mel.shape
        for i in range(b):
            for _ in range(self.c.freq_masks):
                w = random.randint(0, self.c.max_width)
                s = random.randint(0, f - w)
                mel[i, s:s + w] = 0
            for _ in range(self.c.time_masks):
                w = random.randint(0, self.c.max_width)
                s = random.randint(0, t - w)
                mel[i, :, s:s + w].zero_()
        return mel


class ConvSubsample(nn.Module):
    def __init__(self, mels, dim):
        super().__init__()
        self.c1, self.c2 = nn.Conv1d(mels, dim, 3, 1, 1), nn.Conv1d(dim, dim, 3, 2, 1)

    def forward(self, x):
        x = F.relu_(self.c1(x))
        return F.relu_(self.c2(x)).transpose(1, 2)

    @staticmethod
    def lengths(n):
        return n.sub(1).div_(2, rounding_mode="floor").add_(1)


class Recogniser(nn.Module):
    def __init__(self, c: AudioConfig, dim=16):
        super().__init__()
        self.front, self.aug = LogMel(c), SpecAugment(c)
        self.sub = ConvSubsample(c.mels, dim)
        self.rnn = nn.GRU(dim, dim, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * dim, c.classes)
        nn.init.uniform_(self.out.weight, -1 / math.sqrt(dim), 1 / math.sqrt(dim))

    def forward(self, wav, frames):
        mel = self.front(wav)
        pad = torch.arange(mel.size(-1))[None] >= frames[:, None]
        mel.masked_fill_(pad[:, None], 0.0)
        if self.training:
            mel = self.aug(mel)
        h, _ = self.rnn(self.sub(mel))
        logits = self.out(h)
        logits[..., 0] -= 0.5
        return logits.log_softmax(-1), self.sub.lengths(frames)


def greedy(logp, lengths):
    best = logp.argmax(-1)
    best[torch.arange(best.size(1))[None] >= lengths[:, None]] = 0
    keep = best.ne(0)
    keep[:, 1:] &= best[:, 1:] != best[:, :-1]
    return [row[k].tolist() for row, k in zip(best, keep)]


def synth(c, n=2, length=320):
    wav = torch.randn(n, length).mul_(0.01)
    tgt = torch.randint(1, c.classes, (n, 3))
    t = torch.arange(length // 3).float()
    for i in range(n):
        for j, k in enumerate(tgt[i].tolist()):
            wav[i, j * t.numel():(j + 1) * t.numel()] += torch.sin(0.3 * k * t)
    return wav, torch.tensor([length // c.hop + 1, length // c.hop - 3][:n]), tgt


def train(model, c, steps):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        wav, frames, tgt = synth(c)
        logp, lens = model(wav, frames)
        loss = F.ctc_loss(logp.transpose(0, 1), tgt, lens, torch.full((2,), 3), zero_infinity=True)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return greedy(logp.detach(), lens)


# --- driver ---
torch.manual_seed(0)
random.seed(0)
train(Recogniser(AudioConfig()), AudioConfig(), steps=2)
