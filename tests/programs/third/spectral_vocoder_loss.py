"""Multi resolution spectral distance for a tiny waveform generator."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralDistance(nn.Module):
    def __init__(self, n_fft, hop=None, eps=1e-4, log_weight=1.0):
        super().__init__()
        self.n_fft = n_fft
        self.hop = hop or n_fft // 4
        self.eps = eps
        self.log_weight = log_weight
        self.register_buffer("window", torch.hann_window(n_fft), persistent=False)

    def magnitude(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.real ** 2 + spec.imag ** 2
        mag = torch.sqrt(power + self.eps ** 2)
        mag += self.eps  # BUG
        return mag

    def forward(self, pred, target):
        p = self.magnitude(pred)
        with torch.no_grad():
            t = self.magnitude(target)
        conv = torch.linalg.norm(t - p) / torch.linalg.norm(t)
        return conv + self.log_weight * F.l1_loss(p.log(), t.log())


class MultiResolution(nn.ModuleList):
    @classmethod
    def from_sizes(cls, sizes, **kw):
        return cls([SpectralDistance(s, **kw) for s in sizes])

    def forward(self, pred, target):
        parts = [m(pred, target) for m in self]
        return torch.stack(parts).mean(), parts


class PeriodicAct(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.log_alpha = nn.Parameter(torch.zeros(1, ch, 1))

    def forward(self, x):
        a = self.log_alpha.exp()
        return x + (1 / (a + 1e-9)) * torch.sin(a * x).pow(2)


class Vocoder(nn.Module):
    def __init__(self, mels=6, ch=8, rates=(4, 4)):
        super().__init__()
        self.pre = nn.Conv1d(mels, ch, 7, padding=3)
        stages = []
        for r in rates:
            stages += [PeriodicAct(ch), nn.ConvTranspose1d(ch, ch // 2, 2 * r, r, r // 2)]
            ch //= 2
        self.stages = nn.Sequential(*stages)
        self.post = nn.Conv1d(ch, 1, 7, padding=3)

    def forward(self, mel):
        return torch.tanh(self.post(self.stages(self.pre(mel)))).squeeze(1)


def optimise(model, criterion, mel, wav, lr=2e-4, steps=1):
    opt = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.8, 0.99))
    for _ in range(steps):
        loss, parts = criterion(model(mel), wav)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return [float(p) for p in parts]


# --- driver ---
torch.manual_seed(21)
gen = Vocoder()
mel = torch.randn(2, 6, 8)
wav = torch.rand(2, 128) * 2 - 1
optimise(gen, MultiResolution.from_sizes([16, 32]), mel, wav)
