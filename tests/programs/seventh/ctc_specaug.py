import random
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


class LogMel(nn.Module):
    def __init__(self, n_fft=32, hop=16, n_mels=8):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("fb", self._filters(n_mels, n_fft // 2 + 1))

    @staticmethod
    def _filters(n_mels, n_bins):
        fb = torch.zeros(n_mels, n_bins)
        edges = torch.linspace(0, n_bins - 1, n_mels + 2).round_().long().tolist()
        for m in range(n_mels):
            a, b, c = edges[m:m + 3]
            fb[m, a:b + 1] = torch.linspace(0, 1, b - a + 1)
            fb[m, b:c + 1] = torch.linspace(1, 0, c - b + 1)
        fb /= fb.sum(1, keepdim=True).clamp_(min=1e-5)
        return fb

    @torch.no_grad()
    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True).abs().pow_(2)
        mel = (self.fb @ spec).clamp_(min=1e-6).log_()
        mel -= mel.mean(-1, keepdim=True)
        return mel


class SpecAugment:
    def __init__(self, f=2, t=4, n=2):
        self.f, self.t, self.n = f, t, n

    def __call__(self, mel):
        mel = mel.clone()
        for i in range(mel.size(0)):
            for _ in range(self.n):
                f0 = random.randint(0, mel.size(1) - self.f)
                t0 = random.randint(0, mel.size(2) - self.t)
                mel[i, f0:f0 + self.f] = 0
                mel[i, :, t0:t0 + self.t].fill_(0)
        return mel


class ConvSubsample(nn.Module):
    def __init__(self, n_mels, dim):
        super().__init__()
        self.c = nn.Conv1d(n_mels, dim, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm1d(dim)

    def forward(self, x, lengths):
        x = F.relu(self.bn(self.c(x)), inplace=True)
        lengths = torch.div(lengths - 1, 2, rounding_mode="floor").add_(1)
        pad = torch.arange(x.size(-1))[None] >= lengths[:, None]
        x = x.transpose(1, 2).contiguous()
        x.masked_fill_(pad.unsqueeze(-1), 0)
        return x, lengths


class CTCModel(nn.Module):
    def __init__(self, n_mels=8, dim=12, vocab=6):
        super().__init__()
        self.sub = ConvSubsample(n_mels, dim)
        self.rnn = nn.GRU(dim, dim, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * dim, vocab)

    def forward(self, mel, lengths):
        x, lengths = self.sub(mel, lengths)
        h, _ = self.rnn(x)
        logits = self.out(h)
        logits[..., 0] -= 0.5
        return logits.log_softmax(-1).transpose(0, 1), lengths


def collate(wavs: List[torch.Tensor]):
    n = torch.tensor([len(w) for w in wavs])
    out = torch.zeros(len(wavs), int(n.max()))
    for i, w in enumerate(wavs):
        out[i, : len(w)] = w
        out[i] /= out[i].abs().max().clamp_(min=1e-4)
    return out, n


def greedy(logp, lengths):
    res = []
    for b, ids in enumerate(logp.argmax(-1).t()):
        ids = torch.unique_consecutive(ids[: int(lengths[b])])
        res.append(ids[ids != 0].tolist())
    return res


def train(model, front, utts, steps):
    aug = SpecAugment()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        wav, n = collate([w for w, _ in utts])
        mel = aug(front(wav))
        logp, lens = model(mel, n // front.hop + 1)
        tgt = torch.cat([t for _, t in utts])
        loss = F.ctc_loss(logp, tgt, lens, torch.tensor([len(t) for _, t in utts]), zero_infinity=True)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return greedy(logp, lens)


# --- driver ---
torch.manual_seed(0)
random.seed(0)
utts = [(torch.randn(n), torch.randint(1, 6, (3,))) for n in (320, 256, 300)]
train(CTCModel(), LogMel(), utts, 2)
