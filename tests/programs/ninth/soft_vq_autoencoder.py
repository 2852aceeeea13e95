import torch
import torch.nn as nn
import torch.nn.functional as F


class SoftCodebook(nn.Module):
    """Codebook with soft assignments; the codes follow the data by an exponential average."""

    def __init__(self, n_codes, dim, decay=0.9, temp=1.0):
        super().__init__()
        self.decay, self.temp = decay, temp
        codes = torch.randn(n_codes, dim)
        self.register_buffer("codes", codes)
        self.register_buffer("mass", torch.ones(n_codes))
        self.register_buffer("total", codes.clone())

    def assign(self, z):
        d2 = z.pow(2).sum(1, keepdim=True) - 2 * z @ self.codes.t() + self.codes.pow(2).sum(1)
        return F.softmax(-d2 / self.temp, dim=1)

    @torch.no_grad()
    def track(self, z, resp):
        self.mass.mul_(self.decay).add_(resp.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(resp.t() @ z, alpha=1 - self.decay)
        n = self.mass.sum()
        stable = (self.mass + 1e-5) / (n + len(self.mass) * 1e-5) * n
        torch.div(self.total, stable.unsqueeze(1), out=self.codes)  # BUG

    def forward(self, z):
        resp = self.assign(z)
        zq = resp @ self.codes
        if self.training:
            self.track(z.detach(), resp.detach())
        return zq, resp


class VQAutoencoder(nn.Module):
    def __init__(self, in_dim, dim=8, n_codes=16, beta=0.25):
        super().__init__()
        self.beta = beta
        self.enc = nn.Sequential(nn.Linear(in_dim, 32), nn.SiLU(), nn.Linear(32, dim))
        self.book = SoftCodebook(n_codes, dim)
        self.dec = nn.Sequential(nn.Linear(dim, 32), nn.SiLU(), nn.Linear(32, in_dim))

    def forward(self, x):
        z = self.enc(x)
        zq, resp = self.book(z)
        recon = self.dec(zq)
        return recon, z, zq, resp

    def losses(self, x):
        recon, z, zq, resp = self(x)
        usage = resp.mean(0)
        out = {
            "recon": F.mse_loss(recon, x),
            "commit": self.beta * F.mse_loss(z, zq.detach()),
            "entropy": 0.01 * (usage * (usage + 1e-8).log()).sum(),
        }
        return out


def perplexity(resp):
    hard = torch.zeros_like(resp).scatter_(1, resp.argmax(1, keepdim=True), 1.0).mean(0)
    return torch.exp(-(hard * (hard + 1e-10).log()).sum())


def run_epoch(model, batches, opt):
    model.train()
    log = []
    for x in batches:
        parts = model.losses(x)
        loss = sum(parts.values())
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append({k: v.item() for k, v in parts.items()})
    return log


# --- driver ---
torch.manual_seed(7)
ae = VQAutoencoder(12)
opt = torch.optim.AdamW(ae.parameters(), lr=1e-3)
print(run_epoch(ae, [torch.randn(8, 12) for _ in range(2)], opt))
