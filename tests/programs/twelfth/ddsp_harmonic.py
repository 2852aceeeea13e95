"""Harmonic-plus-noise synthesiser controlled by a small recurrent net, multi-resolution spectral loss."""
import math
import torch
from torch import nn
import torch.nn.functional as F

SR, HOP = 2000, 20


def exp_sigmoid(x):
    return 2.0 * torch.sigmoid(x) ** math.log(10) + 1e-7


def upsample(ctrl, hop=HOP):
    return F.interpolate(ctrl.transpose(1, 2), scale_factor=hop, mode="linear", align_corners=False).transpose(1, 2)


class HarmonicSynth(nn.Module):
    def __init__(self, n_harm):
        super().__init__()
        self.register_buffer("k", torch.arange(1, n_harm + 1).float())

    def forward(self, f0, amp, dist):
        above = f0 * self.k > SR / 2
        dist = dist.masked_fill(above, 0.0)
        dist = dist / dist.sum(-1, keepdim=True).clamp_min_(1e-6)
        phase = torch.cumsum(2 * math.pi * upsample(f0) / SR, 1)
        phase.remainder_(2 * math.pi)
        waves = (phase * self.k).sin_()
        waves.mul_(upsample(dist))
        return waves.sum(-1) * upsample(amp).squeeze(-1)


class FilteredNoise(nn.Module):
    def forward(self, mags):
        ir = torch.fft.irfft(mags)
        n = ir.shape[-1]
        ir = ir.roll(n // 2, -1) * torch.hann_window(n)
        noise = torch.empty(*mags.shape[:2], HOP).uniform_(-1, 1)
        size = HOP + n - 1
        y = torch.fft.irfft(torch.fft.rfft(noise, size) * torch.fft.rfft(ir, size), size)
        out = torch.zeros(len(mags), mags.shape[1] * HOP + n - 1)
        for t in range(mags.shape[1]):
            out[:, t * HOP : t * HOP + size] += y[:, t]
        return out[:, : mags.shape[1] * HOP]


class Controller(nn.Module):
    def __init__(self, n_harm=8, n_noise=9, hid=24):
        super().__init__()
        self.rnn = nn.GRU(2, hid, batch_first=True)
        self.head = nn.Linear(hid, 1 + n_harm + n_noise)
        self.split = [1, n_harm, n_noise]
        self.harm, self.noise = HarmonicSynth(n_harm), FilteredNoise()

    def forward(self, f0, loud):
        h, _ = self.rnn(torch.cat([f0.log() / 7, loud], -1))
        amp, dist, mags = (exp_sigmoid(c) for c in self.head(h).split(self.split, -1))
        audio = self.harm(f0, amp, dist)
        audio += self.noise(mags * 0.1)
        return audio


class SpectralLoss(nn.Module):
    def __init__(self, sizes=(128, 64)):
        super().__init__()
        self.sizes = sizes

    def spec(self, x, n):
        s = torch.stft(x, n, n // 4, window=torch.hann_window(n), return_complex=True)
        return s.abs()

    def forward(self, x, y):
        total = x.new_zeros(())
        for n in self.sizes:
            a, b = self.spec(x, n), self.spec(y, n)
            total += (a - b).abs().mean() + (torch.log(a + 1e-4) - torch.log(b + 1e-4)).abs().mean()
        return total


# --- driver ---
torch.manual_seed(37)
ctrl, crit = Controller(), SpectralLoss()
opt = torch.optim.Adam(ctrl.parameters(), 1e-3)
for _ in range(3):
    f0, loud = torch.rand(2, 16, 1) * 200 + 80, torch.rand(2, 16, 1)
    loss = crit(ctrl(f0, loud), torch.randn(2, 16 * HOP) * 0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
