"""Audio codec with soft vector quantisation and an EMA codebook."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EMACodebook(nn.Module):
    def __init__(self, n_codes, dim, decay=0.95, eps=1e-5, temperature=0.5):
        super().__init__()
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(n_codes))
        self.register_buffer("embed_avg", embed.clone())
        self.decay, self.eps, self.temperature = decay, eps, temperature

    def distances(self, flat):
        return (
            flat.pow(2).sum(1, keepdim=True)
            - 2 * flat @ self.embed.t()
            + self.embed.pow(2).sum(1)[None]
        )

    @torch.no_grad()
    def _ema_update(self, flat, onehot):
        d = self.decay
        self.cluster_size.mul_(d).add_(onehot.sum(0), alpha=1 - d)
        self.embed_avg.mul_(d).add_(onehot.t() @ flat, alpha=1 - d)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.eps * self.embed.size(0)) * n
        self.embed.copy_(self.embed_avg / size[:, None])  # BUG

    def forward(self, z):
        b, c, t = z.shape
        flat = z.transpose(1, 2).reshape(-1, c)
        dist = self.distances(flat)
        soft = F.softmax(-dist / self.temperature, dim=-1)
        quant = soft @ self.embed
        idx = dist.argmin(-1)
        if self.training:
            self._ema_update(flat, F.one_hot(idx, self.embed.size(0)).float())
        quant = quant.view(b, t, c).transpose(1, 2)
        commit = F.mse_loss(z, quant.detach())
        usage = soft.mean(0)
        entropy = -(usage * (usage + 1e-8).log()).sum()
        return quant, commit, entropy, idx.view(b, t)


class ResUnit(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.c1 = nn.Conv1d(ch, ch, 3, padding=dilation, dilation=dilation)
        self.c2 = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        return x + self.c2(F.elu(self.c1(F.elu(x))))


class Codec(nn.Module):
    def __init__(self, ch=8, codes=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, ch, 7, padding=3), ResUnit(ch, 1), nn.Conv1d(ch, ch, 4, 2, 1))
        self.vq = EMACodebook(codes, ch)
        self.dec = nn.Sequential(nn.ConvTranspose1d(ch, ch, 4, 2, 1), ResUnit(ch, 3), nn.Conv1d(ch, 1, 7, padding=3))

    def forward(self, wav):
        q, commit, entropy, idx = self.vq(self.enc(wav))
        return self.dec(q), {"commit": commit, "entropy": entropy, "codes": idx}


def multi_res_loss(a, b, sizes=(8, 16)):
    total = F.l1_loss(a, b)
    for n in sizes:
        win = torch.hann_window(n)
        sa = torch.stft(a.squeeze(1), n, n // 4, window=win, return_complex=True).abs()
        sb = torch.stft(b.squeeze(1), n, n // 4, window=win, return_complex=True).abs()
        total = total + F.l1_loss(sa, sb)
    return total


def train_step(model, opt, wav):
    model.train()
    out, aux = model(wav)
    loss = multi_res_loss(out, wav) + 0.25 * aux["commit"] - 0.01 * aux["entropy"]
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
codec = Codec()
train_step(codec, torch.optim.Adam(codec.parameters(), lr=3e-4), torch.randn(2, 1, 64))
