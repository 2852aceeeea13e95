"""VQ layer with EMA codebook, dead code revival and straight-through output."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EMACodebook(nn.Module):
    def __init__(self, n, d, decay=0.95, threshold=0.1):
        super().__init__()
        self.n, self.decay, self.threshold = n, decay, threshold
        e = torch.empty(n, d).uniform_(-1, 1)
        self.register_buffer('embed', e)
        self.register_buffer('size', torch.ones(n))
        self.register_buffer('total', e.clone())

    def lookup(self, ids):
        return F.embedding(ids, self.embed)

    @torch.no_grad()
    def nearest(self, flat):
        d = flat.pow(2).sum(1, keepdim=True)
        d = d - 2 * flat @ self.embed.t()
        d += self.embed.pow(2).sum(1)
        return d.argmin(1)

    @torch.no_grad()
    def update(self, flat, ids):
        hot = torch.zeros(len(ids), self.n)
        hot.scatter_(1, ids[:, None], 1)
        self.size.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).addmm_(hot.t(), flat, alpha=1 - self.decay)
        self.embed.copy_(self.total / self.size.clamp(min=1e-3)[:, None])
        self.revive(flat)

    @torch.no_grad()
    def revive(self, flat):
        dead = self.size < self.threshold
        if dead.any():
            pick = flat[torch.randint(0, len(flat), (int(dead.sum()),))]
            self.embed[dead] = pick
            self.total[dead] = pick
            self.size[dead] = 1.0


class VectorQuantize(nn.Module):
    def __init__(self, n, d, beta=0.25, **kw):
        super().__init__()
        self.book = EMACodebook(n, d, **kw)
        self.beta = beta

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        ids = self.book.nearest(flat)
        q = self.book.lookup(ids)
        commit = self.beta * F.mse_loss(flat, q)
        if self.training:
            self.book.update(flat.detach(), ids)
        out = q - flat.detach()
        out += flat
        return out.view_as(z), commit, ids.view(z.shape[:-1])


class VQVAE(nn.Module):
    def __init__(self, d=6, n=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, 8, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv1d(8, d, 4, 2, 1))
        self.vq = VectorQuantize(n, d, decay=0.9)
        self.dec = nn.Sequential(nn.ConvTranspose1d(d, 8, 4, 2, 1), nn.ReLU(inplace=True),
                                 nn.ConvTranspose1d(8, 1, 4, 2, 1))

    def forward(self, x):
        z = self.enc(x).transpose(1, 2)
        q, commit, ids = self.vq(z)
        return self.dec(q.transpose(1, 2)), commit, ids


@torch.no_grad()
def perplexity(ids, n):
    p = torch.bincount(ids.flatten(), minlength=n).float()
    p /= p.sum()
    return p.mul_(p.clamp(min=1e-9).log()).sum().neg_().exp_().item()


def fit(model, loader, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    ppl = []
    for x in loader:
        rec, commit, ids = model(x)
        loss = F.l1_loss(rec, x)
        loss += commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        ppl.append(perplexity(ids, model.vq.book.n))
    return ppl


# --- driver ---
torch.manual_seed(0)
fit(VQVAE(), [torch.randn(4, 1, 16) for _ in range(2)])
