"""Phone recogniser: spectrogram, channel-wise learnable power-law compression, time/frequency masking, CTC."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Batch(NamedTuple):
    wav: torch.Tensor
    wav_len: torch.Tensor
    text: torch.Tensor
    text_len: torch.Tensor


class MelFrontend(nn.Module):
    def __init__(self, n_fft=64, hop=32, bands=12):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("bank", self.triangles(n_fft // 2 + 1, bands))

    @staticmethod
    def triangles(bins, bands):
        centres = torch.linspace(0, bins - 1, bands + 2)
        x = torch.arange(bins)[:, None]
        rise = (x - centres[:-2]) / (centres[1:-1] - centres[:-2])
        fall = (centres[2:] - x) / (centres[2:] - centres[1:-1])
        return torch.minimum(rise, fall).clamp_(min=0)

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.abs().square_().transpose(1, 2) @ self.bank
        return power.add_(1e-5)


class PowerLaw(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.raw = nn.Parameter(torch.full((bands,), -1.0))

    def forward(self, power):
        return power ** torch.sigmoid(self.raw)


class SpecMask(nn.Module):
    def __init__(self, time=4, freq=3, count=2):
        super().__init__()
        self.time, self.freq, self.count = time, freq, count

    def forward(self, feats):
        if not self.training:
            return feats
        _, frames, bands = feats.shape
        blank = torch.zeros_like(feats, dtype=torch.bool)
        for row in blank:
            for _ in range(self.count):
                t = int(torch.randint(0, frames - self.time, ()))
                f = int(torch.randint(0, bands - self.freq, ()))
                row[t:t + self.time] = True
                row[:, f:f + self.freq] = True
        return feats.masked_fill_(blank, 0.0)  # BUG


class Recogniser(nn.Module):
    def __init__(self, phones, bands=12, hidden=16):
        super().__init__()
        self.frontend, self.compress, self.mask = MelFrontend(bands=bands), PowerLaw(bands), SpecMask()
        self.rnn = nn.GRU(bands, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, phones + 1)

    def frames(self, wav_len):
        return wav_len // self.frontend.hop + 1

    def forward(self, wav):
        x = self.mask(self.compress(self.frontend(wav)))
        return self.out(self.rnn(x)[0]).log_softmax(-1)


class GreedyDecoder:
    def __call__(self, logp, lengths):
        for row, n in zip(logp.argmax(-1), lengths.tolist()):
            merged = torch.unique_consecutive(row[:n])
            yield merged[merged != 0].tolist()


def make_batch(n, samples, phones, seed):
    gen = torch.Generator().manual_seed(seed)
    wav_len = torch.randint(samples // 2, samples + 1, (n,), generator=gen)
    wav_len[0] = samples
    wav = torch.randn(n, samples, generator=gen)
    wav.masked_fill_(torch.arange(samples) >= wav_len[:, None], 0)
    text = torch.randint(1, phones + 1, (n, 4), generator=gen)
    return Batch(wav, wav_len, text, torch.full((n,), 4))


def train(model, batches, lr=2e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    decode = GreedyDecoder()
    for b in batches:
        logp = model(b.wav)
        loss = F.ctc_loss(logp.transpose(0, 1), b.text, model.frames(b.wav_len), b.text_len, zero_infinity=True)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 3.0)
        opt.step()
        list(decode(logp.detach(), model.frames(b.wav_len)))
    return loss.item()


# --- driver ---
torch.manual_seed(44)
train(Recogniser(phones=6), [make_batch(4, 800, 6, s) for s in range(2)])
