import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Frames:
    def __init__(self, size, hop):
        self.size, self.hop = size, hop
        self.window = torch.hann_window(size)

    def split(self, wav):
        return wav.unfold(-1, self.size, self.hop) * self.window

    def norm(self, n):
        total = torch.zeros((n - 1) * self.hop + self.size)
        for i in range(n):
            total[i * self.hop:i * self.hop + self.size] += self.window ** 2
        return total.clamp_(min=1e-3)

    def overlap_add(self, frames):
        b, n, _ = frames.shape
        frames = frames * self.window
        out = frames.new_zeros(b, (n - 1) * self.hop + self.size)
        for i in range(n):
            out[:, i * self.hop:i * self.hop + self.size] += frames[:, i]
        out /= self.norm(n)
        return out


class HarmonicSource(nn.Module):
    def __init__(self, sr, harmonics=4):
        super().__init__()
        self.sr = sr
        self.amp = nn.Parameter(torch.full((harmonics,), 0.1))
        self.register_buffer("k", torch.arange(1, harmonics + 1).float())

    def forward(self, f0, hop):
        f0 = f0.repeat_interleave(hop, 1)
        phase = torch.cumsum(f0 / self.sr, 1)
        phase -= phase.floor()
        waves = torch.sin(2 * math.pi * phase.unsqueeze(-1) * self.k)
        alias = f0.unsqueeze(-1) * self.k > self.sr / 2
        waves.masked_fill_(alias, 0.0)
        return waves @ self.amp


class SpectralFilter(nn.Module):
    def __init__(self, mels, frames: Frames, hidden=16):
        super().__init__()
        self.frames = frames
        bins = frames.size // 2 + 1
        self.net = nn.Sequential(nn.Conv1d(mels, hidden, 3, padding=1), nn.LeakyReLU(0.1, inplace=True), nn.Conv1d(hidden, 2 * bins, 1))
        with torch.no_grad():
            self.net[-1].weight.mul_(0.1)
            self.net[-1].bias.zero_()

    def forward(self, mel, source, noise_level=0.03):
        h, n = self.net(mel).transpose(1, 2).chunk(2, -1)
        spec = torch.fft.rfft(self.frames.split(source))
        noise = torch.fft.rfft(self.frames.split(torch.randn_like(source).mul_(noise_level)))
        t = min(spec.shape[1], h.shape[1])
        mix = spec[:, :t] * h[:, :t].exp()
        mix += noise[:, :t] * n[:, :t].sigmoid()
        return self.frames.overlap_add(torch.fft.irfft(mix, n=self.frames.size))


class MultiResSTFT(nn.Module):
    def __init__(self, sizes=(8, 16)):
        super().__init__()
        self.sizes = sizes

    def mag(self, x, n):
        s = torch.stft(x, n, n // 4, window=torch.hann_window(n), return_complex=True)
        return (s.real ** 2 + s.imag ** 2).clamp(min=1e-7).sqrt()

    def forward(self, pred, ref):
        total = pred.new_zeros(())
        for n in self.sizes:
            p, r = self.mag(pred, n), self.mag(ref, n)
            total += (p - r).norm() / r.norm() + F.l1_loss(p.log(), r.log())
        return total / len(self.sizes)


def train(modules, batches, frames, lr=1e-3):
    source, filt = modules
    opt = torch.optim.AdamW([*source.parameters(), *filt.parameters()], lr)
    crit = MultiResSTFT()
    for mel, f0, wav in batches:
        pred = filt(mel, source(f0, frames.hop))
        loss = crit(pred, wav[:, :pred.shape[1]])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
frames = Frames(16, 8)
nets = HarmonicSource(1600), SpectralFilter(6, frames)
train(nets, [(torch.randn(2, 6, 9), torch.rand(2, 9) * 300 + 100, torch.randn(2, 72) * 0.1) for _ in range(2)], frames)
