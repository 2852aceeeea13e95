"""Convolutional language model whose output loss is taken chunk by chunk, with unigram label smoothing."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class UnigramSmoother(nn.Module):
    """Turns token ids to target distributions: most mass on the token, the rest by corpus frequency."""

    def __init__(self, vocab, chunk, smoothing=0.1):
        super().__init__()
        self.register_buffer("prior", torch.full((vocab,), 1.0 / vocab))
        self.register_buffer("dist", torch.empty(chunk, vocab), persistent=False)
        self.smoothing = smoothing

    def fit(self, ids):
        counts = torch.bincount(ids.flatten(), minlength=self.prior.numel()).float() + 1
        self.prior.copy_(counts / counts.sum())

    def targets(self, ids):
        out = self.dist[: ids.numel()]
        out.copy_(self.smoothing * self.prior.expand_as(out))  # BUG
        return out.scatter_add(1, ids[:, None], torch.full_like(ids[:, None], 1 - self.smoothing, dtype=out.dtype))

    def entropy_floor(self, ids):
        return self.dist[: ids.numel()]


class ChunkedLoss(nn.Module):
    """Projects and scores `chunk` positions at a time."""

    def __init__(self, dim, vocab, chunk=8, smoothing=0.1, confidence=0.01):
        super().__init__()
        self.proj = nn.Linear(dim, vocab)
        self.smoother = UnigramSmoother(vocab, chunk, smoothing)
        self.chunk, self.confidence = chunk, confidence

    def piece(self, h, ids):
        logp = self.proj(h).log_softmax(-1)
        target = self.smoother.targets(ids)
        ce = -(target * logp).sum()
        drift = -(self.smoother.entropy_floor(ids) * logp).sum()
        return ce + self.confidence * drift

    def forward(self, h, ids):
        h, ids = h.flatten(0, 1), ids.flatten()
        parts = [self.piece(a, b) for a, b in zip(h.split(self.chunk), ids.split(self.chunk))]
        return torch.stack(parts).sum() / ids.numel()


class GatedConv(nn.Module):
    def __init__(self, dim, kernel):
        super().__init__()
        self.conv = nn.Conv1d(dim, 2 * dim, kernel)
        self.pad = kernel - 1

    def forward(self, x):
        return x + F.glu(self.conv(F.pad(x, (self.pad, 0))), dim=1)


class ConvLM(nn.Module):
    def __init__(self, vocab=26, dim=24, depth=3, kernel=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.body = nn.Sequential(*[GatedConv(dim, kernel) for _ in range(depth)])
        self.loss = ChunkedLoss(dim, vocab)

    def hidden(self, ids):
        return self.body(self.emb(ids).transpose(1, 2)).transpose(1, 2)

    def forward(self, ids):
        return self.loss(self.hidden(ids[:, :-1]), ids[:, 1:])

    @torch.no_grad()
    def perplexity(self, ids):
        logits = self.loss.proj(self.hidden(ids[:, :-1]))
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).exp().item()


def letters(n, length, vocab=26):
    start = torch.randint(0, vocab, (n, 1))
    hops = torch.randint(1, 4, (n, length)).cumsum(1)
    return torch.cat([start, (start + hops) % vocab], 1)


# --- driver ---
torch.manual_seed(0)
model = ConvLM()
model.loss.smoother.fit(letters(50, 20))
opt = torch.optim.NAdam(model.parameters(), lr=2e-3)
for _ in range(3):
    ids = letters(4, 10)
    opt.zero_grad()
    loss = model(ids)
    loss.backward()
    opt.step()
print(model.perplexity(ids))
