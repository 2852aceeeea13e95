"""Soft-DTW loss between a synthetic and a recorded pitch/energy contour."""
import functools
import torch
from torch import nn


def timed(fn):
    calls = {"n": 0}

    @functools.wraps(fn)
    def inner(*a, **k):
        calls["n"] += 1
        inner.calls = calls["n"]
        return fn(*a, **k)

    return inner


def pairwise_sq(x, y):
    return (x.unsqueeze(2) - y.unsqueeze(1)).pow(2).sum(-1)


def softmin(a, b, c, gamma):
    return -gamma * torch.logsumexp(torch.stack([a, b, c], -1) / (-gamma), -1)


@timed
def soft_dtw(D, gamma=0.5):
    B, N, M = D.shape
    big = D.new_full((B,), 1e6)
    prev = [D.new_zeros(B)] + [big] * M
    for i in range(N):
        row = [big]
        for j in range(M):
            row.append(D[:, i, j] + softmin(prev[j], prev[j + 1], row[j], gamma))
        prev = row
    return prev[-1]


def soft_dtw_divergence(x, y, gamma):
    xy = soft_dtw(pairwise_sq(x, y), gamma)
    xy -= 0.5 * soft_dtw(pairwise_sq(x, x), gamma)
    xy -= 0.5 * soft_dtw(pairwise_sq(y, y), gamma)
    return xy


class ProsodyPredictor(nn.Module):
    def __init__(self, phones=20, width=16, feats=2):
        super().__init__()
        self.emb = nn.Embedding(phones, width, padding_idx=0)
        self.conv = nn.Conv1d(width, width, 3, padding=1)
        self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * width, feats)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        x = torch.relu_(self.conv(x)).transpose(1, 2)
        y = self.out(self.rnn(x)[0])
        y.masked_fill_((ids == 0).unsqueeze(-1), 0.0)
        return y


def standardise(contour, voiced):
    """Normalises the voiced part in place; the rest is left at zero."""
    for c, v in zip(contour, voiced):
        c[v] -= c[v].mean(0)
        c[v] /= c[v].std(0) + 1e-5
        c[~v] = 0
    return contour


def train(model, batches, gamma=0.5):
    opt = torch.optim.Adam(model.parameters(), 2e-3)
    for ids, contour, voiced in batches:
        target = standardise(contour, voiced)
        loss = soft_dtw_divergence(model(ids), target, gamma).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(round(loss.item(), 4), soft_dtw.calls)


# --- driver ---
torch.manual_seed(18)
train(ProsodyPredictor(), [(torch.randint(0, 20, (3, 6)), torch.randn(3, 8, 2), torch.rand(3, 8) < 0.8) for _ in range(3)])
