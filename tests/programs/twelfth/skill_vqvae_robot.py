"""Discrete skills for manipulation: VQ-VAE over action chunks, k-means style codebook, dead code revival."""
import torch
import torch.nn as nn


class Codebook:
    """Not a module: it has no gradients, the trainer refreshes it after each optimiser step."""

    def __init__(self, k, d, decay):
        self.e = torch.randn(k, d)
        self.n = torch.ones(k)
        self.decay = decay

    def assign(self, z):
        return torch.cdist(z.detach(), self.e).argmin(-1)

    def quantise(self, z):
        ids = self.assign(z)
        q = self.e[ids]
        return z + (q - z).detach(), q, ids

    def refresh(self, z, ids):
        k = len(self.e)
        n = torch.bincount(ids, minlength=k).float()
        s = torch.zeros_like(self.e).index_add_(0, ids, z)
        seen = n > 0
        self.n.mul_(self.decay).add_(n, alpha=1 - self.decay)
        self.e[seen] += (1 - self.decay) * (s[seen] / n[seen, None] - self.e[seen])
        dead = self.n < 0.05
        if dead.any():
            pick = torch.randint(0, len(z), (int(dead.sum()),))
            self.e[dead] = z[pick]
            self.n[dead] = 1.0


class SkillVAE(nn.Module):
    def __init__(self, act, chunk, obs, d=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(act * chunk, 32), nn.ELU(inplace=True), nn.Linear(32, d))
        self.dec = nn.Sequential(nn.Linear(d + obs, 32), nn.ELU(inplace=True), nn.Linear(32, act * chunk), nn.Tanh())
        self.chunk, self.act = chunk, act

    def decode(self, code, obs):
        return self.dec(torch.cat([code, obs], -1)).view(-1, self.chunk, self.act)


class SkillTrainer:
    def __init__(self, model, book, beta=0.25, lr=1e-3):
        self.model, self.book, self.beta = model, book, beta
        self.opt = torch.optim.Adam(model.parameters(), lr)
        self.lr0, self.t, self.warm = lr, 0, 3

    def _warmup(self):
        self.t += 1
        for g in self.opt.param_groups:
            g["lr"] = self.lr0 * min(1.0, self.t / self.warm)

    def step(self, actions, obs, valid):
        z = self.model.enc(actions)
        st, q, ids = self.book.quantise(z)
        err = (self.model.decode(st, obs) - actions).abs()
        err[~valid] = 0.0
        loss = err.sum() / valid.sum() + self.beta * (z - q).square().mean()
        self.opt.zero_grad()
        loss.backward()
        self._warmup()
        self.opt.step()
        self.book.refresh(z.detach(), ids)
        return loss.item(), ids.unique().numel()


# --- driver ---
torch.manual_seed(29)
tr = SkillTrainer(SkillVAE(3, 5, 4), Codebook(6, 8, 0.9))
for _ in range(5):
    print(tr.step(torch.rand(16, 5, 3) * 2 - 1, torch.randn(16, 4), torch.rand(16, 5) < 0.9))
