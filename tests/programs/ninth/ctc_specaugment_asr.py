import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def mel_filters(n_mels, n_fft, sr):
    hz = lambda m: 700 * (10 ** (m / 2595) - 1)
    mel = lambda f: 2595 * math.log10(1 + f / 700)
    pts = torch.linspace(mel(0), mel(sr / 2), n_mels + 2)
    bins = torch.tensor([hz(float(m)) for m in pts]).mul_((n_fft + 1) / sr).floor_().long()
    fb = torch.zeros(n_mels, n_fft // 2 + 1)
    for i in range(n_mels):
        l, c, r = bins[i:i + 3].tolist()
        c, r = max(c, l + 1), max(r, c + 1, l + 2)
        fb[i, l:c] = torch.arange(c - l).float().add_(1).div_(c - l)
        fb[i, c:r] = torch.arange(r - c, 0, -1).float().div_(r - c)[: fb.size(1) - c]
    return fb


class LogMel(nn.Module):
    def __init__(self, n_mels=8, n_fft=64, hop=16, sr=800):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("fb", mel_filters(n_mels, n_fft, sr))
        self.gain = nn.Parameter(torch.zeros(n_mels))

    def forward(self, wave):
        with torch.no_grad():
            spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True).abs().square_()
            mel = (self.fb @ spec).clamp_(min=1e-6).log_()
            mel.sub_(mel.mean(-1, keepdim=True))
        return mel * self.gain.exp()[:, None]


class SpecAugment(nn.Module):
    def __init__(self, f=2, t=4, n=2):
        super().__init__()
        self.f, self.t, self.n = f, t, n

    def forward(self, mel):
        if not self.training:
            return mel
        mel = mel.clone()
        for b in range(mel.size(0)):
            for _ in range(self.n):
                f0 = int(torch.randint(0, mel.size(1) - self.f, ()))
                t0 = int(torch.randint(0, mel.size(2) - self.t, ()))
                mel[b, f0:f0 + self.f] = 0
                mel[b, :, t0:t0 + self.t] = 0
        return mel


class Acoustic(nn.Module):
    def __init__(self, n_mels=8, h=12, vocab=5):
        super().__init__()
        self.fe, self.aug = LogMel(n_mels), SpecAugment()
        self.conv = nn.Conv1d(n_mels, h, 3, padding=1)
        self.rnn = nn.GRU(h, h, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * h, vocab)

    def forward(self, wave):
        x = self.conv(self.aug(self.fe(wave)))
        x = F.relu_(x)
        y, _ = self.rnn(x.transpose(1, 2))
        logits = self.out(y)
        logits[..., 0] -= 0.5
        return logits.log_softmax(-1)


def greedy(logp, blank=0):
    best = logp.argmax(-1)
    keep = best.ne(blank)
    keep[:, 1:] &= best[:, 1:].ne(best[:, :-1])
    return [row[k].tolist() for row, k in zip(best, keep)]


def pad_targets(seqs):
    out = torch.zeros(len(seqs), max(map(len, seqs)), dtype=torch.long)
    for i, s in enumerate(seqs):
        out[i, :len(s)] = torch.tensor(s)
    return out, torch.tensor([len(s) for s in seqs])


# --- driver ---
torch.manual_seed(22)
net = Acoustic()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
tgt, tl = pad_targets([[1, 2, 3], [4, 1]])
for _ in range(2):
    lp = net(torch.randn(2, 256))
    loss = F.ctc_loss(lp.transpose(0, 1), tgt, torch.full((2,), lp.size(1)), tl, zero_infinity=True)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(greedy(lp.detach()))
