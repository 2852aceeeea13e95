"""Soft vector quantiser with EMA codebook, and an autoencoder helper."""
import torch
import torch.nn.functional as F
from torch import nn


class SoftVQ(nn.Module):
    def __init__(self, n_codes: int, dim: int, decay: float = 0.99, tau: float = 1.0, eps: float = 1e-5):
        super().__init__()
        self.decay, self.tau, self.eps = decay, tau, eps
        codes = torch.randn(n_codes, dim)
        self.register_buffer('codes', codes)
        self.register_buffer('cluster_size', torch.zeros(n_codes))
        self.register_buffer('code_sum', codes.clone())

    @property
    def n_codes(self) -> int:
        return self.codes.shape[0]

    @torch.no_grad()
    def _ema_update(self, flat, hard):
        onehot = F.one_hot(hard, self.n_codes).type_as(flat)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.code_sum.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.n_codes * self.eps) * n
        self.codes.copy_(self.code_sum / size.unsqueeze(1))  # BUG

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        dist = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codes.t() + self.codes.pow(2).sum(1)
        assign = F.softmax(-dist / self.tau, dim=1)
        hard = dist.argmin(1)
        soft = assign @ self.codes
        if self.training:
            self._ema_update(flat, hard)
        quant = F.embedding(hard, self.codes)
        commit = F.mse_loss(flat, quant)
        return soft.view_as(z), commit, hard.view(z.shape[:-1])


class AutoEncoder(nn.Module):
    def __init__(self, d_in: int, d: int, n_codes: int):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, 16), nn.ReLU(inplace=True), nn.Linear(16, d))
        self.vq = SoftVQ(n_codes, d)
        self.dec = nn.Sequential(nn.Linear(d, 16), nn.ReLU(inplace=True), nn.Linear(16, d_in))

    def forward(self, x):
        q, commit, ids = self.vq(self.enc(x))
        return self.dec(q), commit, ids


def usage(ids: torch.Tensor, n: int) -> float:
    hist = torch.zeros(n)
    hist.scatter_add_(0, ids.flatten(), torch.ones(ids.numel()))
    hist /= hist.sum()
    return float(torch.exp(-(hist * (hist + 1e-9).log()).sum()))


def train_autoencoder(model: AutoEncoder, xs, beta: float = 0.25, lr: float = 1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    perplexities = []
    for x in xs:
        rec, commit, ids = model(x)
        loss = F.mse_loss(rec, x) + beta * commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        perplexities.append(usage(ids, model.vq.n_codes))
    return perplexities


# --- driver ---
torch.manual_seed(0)
ae = AutoEncoder(12, 4, 8)
train_autoencoder(ae, [torch.randn(16, 12)])
