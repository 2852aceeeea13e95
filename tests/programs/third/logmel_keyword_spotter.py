"""Keyword spotting: mel front end built by hand, masking augmentation, attention pooling."""
import math
import random
import torch
import torch.nn as nn
import torch.nn.functional as F


def mel_filters(n_mels, n_fft, sr):
    to_mel = lambda f: 2595 * math.log10(1 + f / 700)
    pts = torch.linspace(0, to_mel(sr / 2), n_mels + 2)
    hz = pts.div_(2595)
    hz = torch.pow(10, hz).sub_(1).mul_(700)
    bins = torch.linspace(0, sr / 2, n_fft // 2 + 1)
    fb = torch.zeros(n_mels, len(bins))
    for m in range(n_mels):
        lo, mid, hi = hz[m:m + 3]
        up, down = (bins - lo) / (mid - lo), (hi - bins) / (hi - mid)
        fb[m] = torch.minimum(up, down).clamp_(min=0)
    fb /= fb.sum(1, keepdim=True).clamp_(min=1e-6)
    return fb


class LogMel(nn.Module):
    def __init__(self, n_mels=8, n_fft=64, sr=8000):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("fb", mel_filters(n_mels, n_fft, sr))
        self.register_buffer("win", torch.hann_window(n_fft).sqrt_())

    @torch.no_grad()
    def forward(self, wav):
        wav = wav - wav.mean(-1, keepdim=True)
        wav[:, 1:] -= 0.97 * wav[:, :-1].clone()
        s = torch.stft(wav, self.n_fft, self.n_fft // 2, window=self.win, return_complex=True)
        mel = self.fb @ s.abs().square_()
        mel.clamp_(min=1e-6).log_()
        mel -= mel.mean(-1, keepdim=True)
        return mel


class SpecMask:
    def __init__(self, freq, time, n=2):
        self.freq, self.time, self.n = freq, time, n

    def __call__(self, mel):
        for row in mel:
            for _ in range(self.n):
                f, t = random.randint(0, self.freq), random.randint(0, self.time)
                f0, t0 = random.randint(0, row.shape[0] - f), random.randint(0, row.shape[1] - t)
                row[f0:f0 + f].fill_(0)
                row[:, t0:t0 + t] = 0
        return mel


class AttentivePool(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.score = nn.Conv1d(ch, 1, 1)

    def forward(self, h, lengths):
        s = self.score(h).squeeze(1)
        pad = torch.arange(h.shape[-1])[None] >= lengths[:, None]
        s.masked_fill_(pad, float("-inf"))
        a = s.softmax(-1)
        return (h * a[:, None]).sum(-1)


class Spotter(nn.Module):
    def __init__(self, n_mels, ch, words):
        super().__init__()
        self.dw = nn.Conv1d(n_mels, n_mels, 3, padding=1, groups=n_mels)
        self.pw = nn.Conv1d(n_mels, ch, 1)
        self.bn = nn.BatchNorm1d(ch)
        self.pool = AttentivePool(ch)
        self.fc = nn.Linear(ch, words)

    def forward(self, mel, lengths):
        h = self.dw(mel)
        h += mel
        h = F.hardtanh_(self.bn(self.pw(h)), 0.0, 6.0)
        return self.fc(self.pool(h, lengths))


def train_step(front, mask, net, opt, wav, lengths, y):
    mel = mask(front(wav))
    loss = F.cross_entropy(net(mel, lengths), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(63); random.seed(63)
net = Spotter(8, 6, 3)
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
for _ in range(2):
    train_step(LogMel(), SpecMask(2, 3), net, opt, torch.randn(3, 512), torch.tensor([17, 12, 9]), torch.tensor([0, 1, 2]))
