"""Time-frequency mask estimation for speech enhancement with post-filtered masks."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class STFT:
    def __init__(self, n_fft=32, hop=8):
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)

    def forward(self, wav):
        return torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True)

    def inverse(self, spec, length):
        return torch.istft(spec, self.n_fft, self.hop, window=self.window, length=length)


class MaskNet(nn.Module):
    def __init__(self, bins, hidden=24):
        super().__init__()
        self.norm = nn.LayerNorm(bins)
        self.rnn = nn.GRU(bins, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden * 2, bins)

    def forward(self, mag):
        x = self.norm(torch.log1p(mag).transpose(1, 2))
        h, _ = self.rnn(x)
        return torch.sigmoid(self.fc(h)).transpose(1, 2)


class NumpyFloorGain:
    """Gates weak bins with numpy, as the C++ runtime does."""

    def __init__(self, floor=0.52):
        self.floor = floor

    def limit(self, mask):
        gain = mask.detach().cpu().numpy()
        gain[gain < self.floor] = 0.0  # BUG silent
        return mask


class Enhancer(nn.Module):
    def __init__(self, stft, post=None):
        super().__init__()
        self.stft, self.post = stft, post
        self.net = MaskNet(stft.n_fft // 2 + 1)

    def forward(self, wav):
        spec = self.stft.forward(wav)
        mask = self.net(spec.abs())
        if self.post is not None:
            mask = self.post.limit(mask)
        return self.stft.inverse(spec * mask, wav.size(-1)), mask


def si_sdr(est, ref, eps=1e-8):
    a = (est * ref).sum(-1, keepdim=True) / (ref.pow(2).sum(-1, keepdim=True) + eps)
    t = a * ref
    return 10 * torch.log10(t.pow(2).sum(-1) / ((est - t).pow(2).sum(-1) + eps) + eps)


def mixtures(n, length, count):
    t = torch.arange(length) / 100.0
    for _ in range(count):
        f = torch.rand(n, 1) * 10 + 2
        clean = torch.sin(2 * np.pi * f * t)
        yield clean + 0.3 * torch.randn_like(clean), clean


def train(model, data, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for noisy, clean in data:
        est, mask = model(noisy)
        loss = -si_sdr(est, clean).mean() + 0.01 * mask.mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(Enhancer(STFT(), NumpyFloorGain()), mixtures(2, 160, 2))
