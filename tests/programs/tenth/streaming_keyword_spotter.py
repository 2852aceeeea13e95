"""Keyword spotting on chunked audio: learnable filterbank, sliding feature window, one decision per chunk."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class StreamSpec:
    filters: int = 8
    kernel: int = 16
    hop: int = 8
    window: int = 12
    words: int = 4


class Filterbank(nn.Module):
    def __init__(self, spec: StreamSpec):
        super().__init__()
        self.conv = nn.Conv1d(1, spec.filters, spec.kernel, stride=spec.hop, bias=False)
        taper = torch.hann_window(spec.kernel)
        with torch.no_grad():
            self.conv.weight.mul_(taper)

    def forward(self, wav):
        return torch.log1p(self.conv(wav.unsqueeze(1)).square())


class FeatureWindow:
    """The most recent `width` frames of every stream in the batch."""

    def __init__(self, batch, channels, width):
        self.frames = torch.zeros(batch, channels, width)
        self.seen = 0

    def push(self, chunk):
        n, width = chunk.shape[-1], self.frames.shape[-1]
        if self.seen + n <= width:
            self.frames[..., self.seen:self.seen + n] = chunk  # BUG
            self.seen += n
        else:
            self.frames = torch.cat([self.frames, chunk], -1)[..., -width:]
            self.seen = width
        return self.frames


class Spotter(nn.Module):
    def __init__(self, spec: StreamSpec, ch: int = 12):
        super().__init__()
        self.spec = spec
        self.bank = Filterbank(spec)
        self.depthwise = nn.Conv1d(spec.filters, spec.filters, 3, groups=spec.filters)
        self.point = nn.Conv1d(spec.filters, ch, 1)
        self.score = nn.Linear(ch, spec.words + 1)

    def classify(self, window):
        h = F.relu(self.point(self.depthwise(window)))
        return self.score(h.amax(-1))

    def forward(self, wav, chunk):
        window = FeatureWindow(len(wav), self.spec.filters, self.spec.window)
        return torch.stack([self.classify(window.push(self.bank(part))) for part in wav.split(chunk, dim=1)], 1)


def max_pool_loss(logits, word):
    """Keyword streams must fire in at least one chunk, background streams in none."""
    logp = logits.log_softmax(-1)
    best = logp.gather(2, word.view(-1, 1, 1).expand(-1, logits.shape[1], 1)).squeeze(-1).amax(1)
    silent = logp[..., 0].mean(1)
    return -torch.where(word > 0, best, silent).mean()


def synthesise(n, length, words):
    word = torch.randint(0, words + 1, (n,))
    t = torch.arange(length) / length
    tone = torch.sin(2 * torch.pi * 8 * word[:, None] * t)
    tone[:, : length // 3] = 0
    return tone.add_(torch.randn(n, length), alpha=0.1), word


# --- driver ---
torch.manual_seed(28)
spec = StreamSpec()
model = Spotter(spec)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for _ in range(2):
    wav, word = synthesise(6, 160, spec.words)
    loss = max_pool_loss(model(wav, chunk=40), word)
    opt.zero_grad()
    loss.backward()
    opt.step()
