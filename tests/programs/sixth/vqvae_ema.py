import torch
import torch.nn as nn
import torch.nn.functional as F


class EMACodebook(nn.Module):
    def __init__(self, n_codes, dim, decay=0.99, eps=1e-5, commitment=0.25):
        super().__init__()
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(n_codes))
        self.register_buffer("embed_avg", embed.clone())
        self.decay, self.eps, self.commitment = decay, eps, commitment

    def quantize(self, flat):
        d = flat.detach().pow(2).sum(1, keepdim=True)
        d = d - 2 * flat.detach() @ self.embed.t()
        d += self.embed.pow(2).sum(1)
        return d.argmin(1)

    @torch.no_grad()
    def update(self, flat, idx):
        onehot = torch.zeros(flat.shape[0], self.embed.shape[0])
        onehot.scatter_(1, idx[:, None], 1)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps).div_(n + len(self.cluster_size) * self.eps).mul_(n)
        self.embed.copy_(self.embed_avg / size.unsqueeze(1))
        self._revive(flat)

    def _revive(self, flat, threshold=1e-3):
        dead = (self.cluster_size < threshold).nonzero().flatten()
        if len(dead):
            pick = torch.randint(0, flat.shape[0], (len(dead),))
            self.embed[dead] = flat[pick]

    def forward(self, z):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        idx = self.quantize(flat)
        q = F.embedding(idx, self.embed).view(b, h, w, c).permute(0, 3, 1, 2)
        if self.training:
            self.update(flat, idx)
        loss = self.commitment * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss, idx


class VQVAE(nn.Module):
    def __init__(self, ch=8, n_codes=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, ch, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(ch, ch, 3, 1, 1))
        self.vq = EMACodebook(n_codes, ch)
        self.dec = nn.Sequential(nn.ConvTranspose2d(ch, ch, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(ch, 1, 3, 1, 1))

    def forward(self, x):
        q, commit, idx = self.vq(self.enc(x))
        return self.dec(q), commit, idx


@torch.no_grad()
def perplexity(idx, n):
    p = torch.bincount(idx, minlength=n).float()
    p /= p.sum()
    return p.add(1e-10).log_().mul_(p).sum().neg_().exp_()


def train(model, loader, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for x in loader:
        rec, commit, idx = model(x)
        loss = F.mse_loss(rec, x)
        loss += commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item(), perplexity(idx, 6).item()


# --- driver ---
torch.manual_seed(0)
list(train(VQVAE(), [torch.randn(2, 1, 8, 8) for _ in range(2)]))
