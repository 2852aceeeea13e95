"""Log-mel audio tagging with SpecAugment, mixup and per-channel energy normalisation."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

SR, NFFT, HOP, MELS = 800, 64, 32, 12


def mel_filters():
    f = torch.linspace(0, SR / 2, NFFT // 2 + 1)
    hz2mel = lambda h: 2595 * math.log10(1 + h / 700)
    pts = torch.linspace(0, hz2mel(SR / 2), MELS + 2)
    pts.div_(2595).mul_(math.log(10)).exp_().sub_(1).mul_(700)
    fb = torch.zeros(MELS, len(f))
    for i in range(MELS):
        lo, c, hi = pts[i:i + 3]
        fb[i] = torch.minimum((f - lo) / (c - lo), (hi - f) / (hi - c))
    return fb.clamp_(min=0)


FB = mel_filters()


def logmel(wav):
    spec = torch.stft(wav, NFFT, HOP, window=torch.hann_window(NFFT), return_complex=True).abs()
    spec.pow_(2)
    mel = FB @ spec
    mel.clamp_(min=1e-6).log_()
    mel -= mel.mean(-1, keepdim=True)
    return mel


def spec_augment(m, freq=3, time=4):
    m = m.clone()
    for i in range(m.size(0)):
        f0 = int(torch.randint(0, MELS - freq, (1,)))
        t0 = int(torch.randint(0, m.size(-1) - time, (1,)))
        m[i, f0:f0 + freq] = 0
        m[i, :, t0:t0 + time].zero_()
    return m


def mixup_(x, y, alpha=0.3):
    lam = torch.distributions.Beta(alpha, alpha).sample((x.size(0),))
    perm = torch.randperm(x.size(0))
    x2, y2 = x[perm], y[perm]
    x.mul_(lam[:, None, None]).add_((1 - lam)[:, None, None] * x2)
    y.mul_(lam[:, None]).add_((1 - lam)[:, None] * y2)
    return x, y


class AttnPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, h, pad):
        s = self.score(h).squeeze(-1)
        s.masked_fill_(pad, -1e4)
        w = s.softmax(-1)
        return (h * w.unsqueeze(-1)).sum(1)


class Tagger(nn.Module):
    def __init__(self, classes, d=16):
        super().__init__()
        self.c1, self.c2 = nn.Conv1d(MELS, d, 3, 1, 1), nn.Conv1d(d, d, 3, 1, 1)
        self.bn = nn.BatchNorm1d(d)
        self.pool, self.out = AttnPool(d), nn.Linear(d, classes)

    def forward(self, m, pad):
        h = F.relu_(self.c1(m))
        r = self.bn(self.c2(h))
        r += h
        return self.out(self.pool(F.relu_(r).transpose(1, 2), pad))


def synth(n, classes, length=320):
    y = torch.zeros(n, classes)
    y.scatter_(1, torch.randint(0, classes, (n, 1)), 1.0)
    t = torch.arange(length) / SR
    wav = torch.randn(n, length).mul_(0.05)
    for c in range(classes):
        wav += y[:, c:c + 1] * torch.sin(2 * math.pi * 50 * (c + 1) * t)
    return wav, y


def train(steps, n=4, classes=3):
    model = Tagger(classes)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(steps):
        wav, y = synth(n, classes)
        x, y = mixup_(spec_augment(logmel(wav)), y)
        pad = torch.zeros(n, x.size(-1), dtype=torch.bool)
        pad[0, -3:] = True
        loss = F.binary_cross_entropy_with_logits(model(x, pad), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


# --- driver ---
torch.manual_seed(0)
train(2)
