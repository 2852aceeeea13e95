"""CTC speech recogniser with SpecAugment and subsampling front-end."""
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class SpecAugment(nn.Module):
    def __init__(self, n_freq=2, f_width=4, n_time=2, t_width=6):
        super().__init__()
        self.n_freq, self.f_width, self.n_time, self.t_width = n_freq, f_width, n_time, t_width

    def forward(self, feats, lengths):
        if not self.training:
            return feats
        fill = feats.mean()
        for i in range(feats.size(0)):
            for _ in range(self.n_freq):
                w = random.randint(0, self.f_width)
                s = random.randint(0, feats.size(2) - w)
                feats[i, :, s:s + w] = fill
            for _ in range(self.n_time):
                w = min(random.randint(0, self.t_width), int(lengths[i]) - 1)
                s = random.randint(0, int(lengths[i]) - w)
                feats[i, s:s + w] = fill
        return feats


class ConvSubsample(nn.Module):
    def __init__(self, n_mels, dim):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, dim, 3, stride=2, padding=1)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, lengths):
        x = F.relu_(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.norm(x), (lengths + 1) // 2


class SinusoidalPE(nn.Module):
    def __init__(self, dim, max_len=200):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
        pe = torch.zeros(max_len, dim)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer('pe', pe)
        self.scale = math.sqrt(dim)

    def forward(self, x):
        x = x * self.scale
        x += self.pe[:x.size(1)]
        return x


class CTCRecognizer(nn.Module):
    def __init__(self, n_mels=16, dim=16, heads=2, layers=1, vocab=12):
        super().__init__()
        self.aug, self.sub, self.pe = SpecAugment(), ConvSubsample(n_mels, dim), SinusoidalPE(dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, layers)
        self.out = nn.Linear(dim, vocab)

    def forward(self, feats, lengths):
        x, lens = self.sub(self.aug(feats, lengths), lengths)
        pad = torch.arange(x.size(1)).unsqueeze(0) >= lens.unsqueeze(1)
        x = self.enc(self.pe(x), src_key_padding_mask=pad)
        return F.log_softmax(self.out(x), dim=-1), lens


def cmvn_(feats, lengths):
    for f, n in zip(feats, lengths):
        f[:n].sub_(f[:n].mean(0)).div_(f[:n].std(0) + 1e-5)
        f[n:] = 0
    return feats


def collate(items):
    lengths = torch.tensor([f.size(0) for f, _ in items])
    feats = torch.zeros(len(items), int(lengths.max()), items[0][0].size(1))
    for i, (f, _) in enumerate(items):
        feats[i, :f.size(0)] = f
    return cmvn_(feats, lengths), lengths, torch.cat([t for _, t in items]), torch.tensor([len(t) for _, t in items])


def greedy(logp, lens):
    ids = logp.detach().argmax(-1)
    ids.masked_fill_(torch.arange(ids.size(1)).unsqueeze(0) >= lens.unsqueeze(1), 0)
    return [[k for k, p in zip(r[0:], [-1] + r[:-1]) if k and k != p] for r in ids.tolist()]


def train_batch(model, opt, batch):
    feats, lengths, targets, tlens = batch
    logp, lens = model(feats, lengths)
    loss = F.ctc_loss(logp.transpose(0, 1), targets, lens, tlens, zero_infinity=True)
    hyps = greedy(logp, lens)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item(), hyps


# --- driver ---
model = CTCRecognizer()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    items = [(torch.randn(n, 16), torch.randint(1, 12, (3,))) for n in (20, 26, 31)]
    print(train_batch(model, opt, collate(items)))
