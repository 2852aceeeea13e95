from typing import NamedTuple, Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F


class STFTSpec(NamedTuple):
    n_fft: int
    hop: int
    win: int


def magnitude(wave, spec, window):
    z = torch.stft(wave, spec.n_fft, spec.hop, spec.win, window, return_complex=True)
    power = z.real.pow(2) + z.imag.pow(2)
    mag = power.add_(1e-9).sqrt()
    mag.clamp_(min=1e-4)  # BUG
    return mag


class STFTLoss(nn.Module):
    def __init__(self, spec: STFTSpec):
        super().__init__()
        self.spec = spec
        self.register_buffer("window", torch.hann_window(spec.win))

    def forward(self, pred, ref):
        p, r = (magnitude(w, self.spec, self.window) for w in (pred, ref))
        sc = torch.norm(r - p) / torch.norm(r)
        return sc + F.l1_loss(p.log(), r.log())


class MultiResolutionSTFT(nn.Module):
    def __init__(self, specs: Sequence[STFTSpec]):
        super().__init__()
        self.terms = nn.ModuleList(STFTLoss(s) for s in specs)

    def forward(self, pred, ref):
        return torch.stack([t(pred, ref) for t in self.terms]).mean()


class MRF(nn.Module):
    def __init__(self, ch, kernels=(3, 5)):
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv1d(ch, ch, k, padding=k // 2) for k in kernels)

    def forward(self, x):
        out = None
        for conv in self.branches:
            y = conv(F.leaky_relu(x, 0.1)) + x
            out = y if out is None else out + y
        return out / len(self.branches)


class Vocoder(nn.Module):
    def __init__(self, n_mels, ch=16, rates=(4, 4)):
        super().__init__()
        self.pre = nn.Conv1d(n_mels, ch, 5, padding=2)
        ups = []
        for i, r in enumerate(rates):
            c = ch // 2 ** i
            ups.append(nn.Sequential(nn.ConvTranspose1d(c, c // 2, 2 * r, r, r // 2), MRF(c // 2)))
        self.ups = nn.ModuleList(ups)
        self.post = nn.Conv1d(ch // 2 ** len(rates), 1, 5, padding=2)

    def forward(self, mel):
        x = self.pre(mel)
        for up in self.ups:
            x = up(F.leaky_relu(x, 0.1))
        return torch.tanh(self.post(x)).squeeze(1)


def mix_noise(wave, snr_db, gen):
    noise = torch.randn(wave.shape, generator=gen)
    noise *= wave.std() / (10 ** (snr_db / 20))
    return wave + noise


# --- driver ---
torch.manual_seed(20)
voc = Vocoder(6)
crit = MultiResolutionSTFT([STFTSpec(32, 8, 32), STFTSpec(64, 16, 48)])
wave = mix_noise(torch.sin(torch.linspace(0, 60, 256)).repeat(2, 1), 20, torch.Generator().manual_seed(0))
loss = crit(voc(torch.randn(2, 6, 16)), wave)
loss.backward()
