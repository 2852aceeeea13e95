"""VQ speech tokenizer: straight-through quantiser, EMA codebook with dead-code restarts."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizer(nn.Module):
    def __init__(self, n_codes, dim, decay=0.9, eps=1e-5, dead_threshold=0.02):
        super().__init__()
        self.decay, self.eps, self.dead = decay, eps, dead_threshold
        self.register_buffer('codebook', torch.randn(n_codes, dim))
        self.register_buffer('cluster_size', torch.ones(n_codes))
        self.register_buffer('cluster_sum', self.codebook.clone())
        self._pending = None

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        with torch.no_grad():
            dist = torch.cdist(flat, self.codebook)
            idx = dist.argmin(dim=1)
        q = F.embedding(idx, self.codebook).view_as(z)
        commit = F.mse_loss(z, q)
        if self.training:
            self._pending = (flat.detach(), idx)
        return z + (q - z).detach(), commit, idx.view(z.shape[:-1])

    @torch.no_grad()
    def update_codebook(self):
        if self._pending is None:
            return
        flat, idx = self._pending
        onehot = F.one_hot(idx, self.codebook.size(0)).to(flat.dtype)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.cluster_sum.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.codebook.size(0) * self.eps) * n
        self.codebook.copy_(self.cluster_sum / size.unsqueeze(1))
        dead = self.cluster_size < self.dead
        if dead.any():
            pick = torch.randint(0, flat.size(0), (int(dead.sum()),))
            self.codebook[dead] = flat[pick]
            self.cluster_size[dead] = 1.0
        self._pending = None


class Down(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv1d(a, b, 4, 2, 1), nn.BatchNorm1d(b), nn.LeakyReLU(0.1, inplace=True))


class Up(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.ConvTranspose1d(a, b, 4, 2, 1), nn.BatchNorm1d(b), nn.LeakyReLU(0.1, inplace=True))


class SpeechTokenizer(nn.Module):
    def __init__(self, ch=12, n_codes=20):
        super().__init__()
        self.enc = nn.Sequential(Down(1, ch), Down(ch, ch), nn.Conv1d(ch, ch, 1))
        self.vq = VectorQuantizer(n_codes, ch)
        self.dec = nn.Sequential(Up(ch, ch), Up(ch, ch), nn.Conv1d(ch, 1, 1), nn.Tanh())

    def forward(self, wav):
        z = self.enc(wav).transpose(1, 2)
        q, commit, codes = self.vq(z)
        return self.dec(q.transpose(1, 2)), commit, codes


def stft_loss(a, b, sizes=(16, 32)):
    total = 0.0
    for n in sizes:
        win = torch.hann_window(n)
        A, B = (torch.stft(x.squeeze(1), n, n // 4, window=win, return_complex=True).abs() for x in (a, b))
        total = total + F.l1_loss((A + 1e-5).log(), (B + 1e-5).log())
    return total / len(sizes)


class TokenizerTrainer:
    def __init__(self, model, beta=0.25, lr=1e-3):
        self.model, self.beta = model, beta
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)

    def step(self, wav):
        recon, commit, codes = self.model(wav)
        loss = F.l1_loss(recon, wav) + stft_loss(recon, wav) + self.beta * commit
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.model.vq.update_codebook()
        return loss.item(), codes.unique().numel()


# --- driver ---
tr = TokenizerTrainer(SpeechTokenizer())
for _ in range(2):
    print(tr.step(torch.randn(3, 1, 64).clamp_(-1, 1)))
