"""Neural audio codec with residual vector quantisation; codebooks follow moving averages."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Codebook(nn.Module):
    def __init__(self, size, dim, decay=0.9, eps=1e-5):
        super().__init__()
        self.decay, self.eps = decay, eps
        self.register_buffer("code", torch.randn(size, dim))
        self.register_buffer("count", torch.ones(size))
        self.register_buffer("total", self.code.clone())

    @torch.no_grad()
    def nearest(self, z):
        d = torch.cdist(z, self.code)
        return d.argmin(-1)

    @torch.no_grad()
    def learn(self, z, idx):
        hot = F.one_hot(idx, len(self.count)).to(z.dtype)
        self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(hot.t() @ z, alpha=1 - self.decay)
        n = self.count.sum()
        smooth = (self.count + self.eps) / (n + len(self.count) * self.eps) * n
        self.code.copy_(self.total / smooth.unsqueeze(1))

    @torch.no_grad()
    def restart(self, z, threshold=0.05):
        stale = self.count < threshold
        if stale.any():
            pick = torch.randint(0, len(z), (int(stale.sum()),))
            self.code[stale] = z[pick]
            self.total[stale] = z[pick]
            self.count[stale] = 1.0

    def forward(self, z):
        idx = self.nearest(z)
        q = self.code[idx]
        commit = F.mse_loss(z, q)
        if self.training:
            self.learn(z, idx)
            self.restart(z)
        return z + (q - z).detach(), commit, idx


class ResidualVQ(nn.Module):
    def __init__(self, levels, size, dim):
        super().__init__()
        self.books = nn.ModuleList(Codebook(size, dim) for _ in range(levels))

    def forward(self, x):
        shape = x.shape
        residual = x.reshape(-1, shape[-1])
        out = torch.zeros_like(residual)
        penalty = torch.zeros(())
        tokens = []
        for book in self.books:
            q, commit, idx = book(residual)
            residual = residual - q.detach()
            out += q
            penalty += commit
            tokens.append(idx.view(shape[:-1]))
        return out.view(shape), penalty, torch.stack(tokens)


class Snake(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x):
        return x + (self.alpha * x).sin().square() / (self.alpha + 1e-9)


class Codec(nn.Module):
    def __init__(self, dim=12, levels=3, size=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, dim, 7, 2, 3), Snake(dim), nn.Conv1d(dim, dim, 7, 2, 3))
        self.rvq = ResidualVQ(levels, size, dim)
        self.dec = nn.Sequential(nn.ConvTranspose1d(dim, dim, 4, 2, 1), Snake(dim), nn.ConvTranspose1d(dim, 1, 4, 2, 1))

    def forward(self, wav):
        z = self.enc(wav).transpose(1, 2)
        q, penalty, tokens = self.rvq(z)
        return self.dec(q.transpose(1, 2)), penalty, tokens


def spectral_loss(a, b, sizes=(16, 32)):
    total = torch.zeros(())
    for n in sizes:
        win = torch.hann_window(n)
        sa, sb = (torch.stft(x.squeeze(1), n, n // 2, window=win, return_complex=True).abs() for x in (a, b))
        total += F.l1_loss((sa + 1e-5).log(), (sb + 1e-5).log())
    return total / len(sizes)


def speechlike(n, length=128):
    t = torch.arange(length) / length
    f = 3 + 20 * torch.rand(n, 1)
    wav = torch.sin(6.2832 * f * t)
    wav *= torch.hann_window(length)
    wav += 0.01 * torch.randn_like(wav)
    return wav.unsqueeze(1)


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    codec = Codec()
    opt = torch.optim.AdamW(codec.parameters(), lr=1e-3)
    for step in range(3):
        wav = speechlike(3)
        out, penalty, tokens = codec(wav)
        loss = F.l1_loss(out, wav) + 0.1 * spectral_loss(out, wav) + 0.25 * penalty
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item(), "tokens used", tokens.unique().numel())
