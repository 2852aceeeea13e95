"""Soft-to-hard vector quantisation of speech frames, codebook kept by exponential moving averages."""
import torch
from torch import nn
import torch.nn.functional as F


class EmaCodebook(nn.Module):
    def __init__(self, n_codes, dim, decay=0.9, eps=1e-5):
        super().__init__()
        self.decay, self.eps = decay, eps
        self.register_buffer("codes", torch.randn(n_codes, dim))
        self.register_buffer("counts", torch.ones(n_codes))
        self.register_buffer("sums", self.codes.clone())
        self.listeners = []

    def lookup(self, z, temperature):
        flat = z.reshape(-1, z.shape[-1])
        cross = flat @ self.codes.t()
        dist = flat.square().sum(1, keepdim=True) - 2 * cross + self.codes.square().sum(1)
        soft = F.softmax(-dist / temperature, -1)
        hard = dist.argmin(-1)
        for cb in self.listeners:
            cb(flat.detach(), hard)
        return (soft @ self.codes).view_as(z), hard

    @torch.no_grad()
    def ema(self, flat, hard):
        onehot = F.one_hot(hard, len(self.codes)).type_as(flat)
        self.counts.lerp_(onehot.sum(0), 1 - self.decay)
        self.sums.lerp_(onehot.t() @ flat, 1 - self.decay)
        total = self.counts.sum()
        smooth = (self.counts + self.eps) / (total + len(self.codes) * self.eps) * total
        torch.div(self.sums, smooth.unsqueeze(1), out=self.codes)  # BUG


class UsageMeter:
    def __init__(self, n):
        self.hist = torch.zeros(n)

    def __call__(self, flat, hard):
        self.hist.index_add_(0, hard, torch.ones(len(hard)))

    @property
    def perplexity(self):
        p = self.hist / self.hist.sum()
        return torch.exp(-(p * (p + 1e-9).log()).sum()).item()


class UnitAutoencoder(nn.Module):
    def __init__(self, feats=12, dim=8, codes=10):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(feats, 16, 3, 2, 1), nn.ReLU(inplace=True), nn.Conv1d(16, dim, 3, 1, 1))
        self.book = EmaCodebook(codes, dim)
        self.book.listeners.append(self.book.ema)
        self.dec = nn.Sequential(nn.ConvTranspose1d(dim, 16, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv1d(16, feats, 3, 1, 1))

    def forward(self, x, temperature):
        z = self.enc(x).transpose(1, 2)
        q, ids = self.book.lookup(z, temperature)
        return self.dec(q.transpose(1, 2)), (z - q.detach()).square().mean(), ids


def train(model, batches, beta=0.25):
    meter = UsageMeter(len(model.book.codes))
    model.book.listeners.append(meter)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for i, x in enumerate(batches):
        rec, commit, _ = model(x, temperature=1.0 * 0.9**i)
        loss = F.mse_loss(rec, x) + beta * commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, loss.item(), meter.perplexity)


# --- driver ---
torch.manual_seed(28)
train(UnitAutoencoder(), [torch.randn(4, 12, 16) for _ in range(3)])
