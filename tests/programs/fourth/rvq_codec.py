import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv(nn.Conv1d):
    def __init__(self, cin, cout, k, stride=1):
        super().__init__(cin, cout, k, stride=stride)
        self.left = k - stride

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, 0)))


class EMACodebook(nn.Module):
    """One stage of the residual quantiser; codes move by an exponential average."""

    def __init__(self, size, dim, decay=0.95, temperature=0.5):
        super().__init__()
        self.decay = decay
        self.temperature = temperature
        self.register_buffer("codes", torch.randn(size, dim) * 0.3)
        self.register_buffer("usage", torch.ones(size))
        self.register_buffer("sums", self.codes.clone())

    def scores(self, flat):
        cross = flat @ self.codes.t()
        sq = self.codes.pow(2).sum(1)
        return (2 * cross - sq) / self.temperature

    @torch.no_grad()
    def observe(self, flat, idx):
        onehot = F.one_hot(idx, self.codes.shape[0]).type_as(flat)
        self.usage.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        smoothed = (self.usage + 1e-5).unsqueeze(1)
        self.codes.copy_(self.sums / smoothed)  # BUG

    def forward(self, flat):
        logits = self.scores(flat)
        idx = logits.argmax(1)
        hard = F.embedding(idx, self.codes)
        soft_entropy = -(logits.softmax(1) * logits.log_softmax(1)).sum(1).mean()
        if self.training:
            self.observe(flat.detach(), idx)
        return hard, idx, soft_entropy


class ResidualVQ(nn.Module):
    def __init__(self, stages, size, dim):
        super().__init__()
        self.stages = nn.ModuleList(EMACodebook(size, dim) for _ in range(stages))

    def forward(self, z):
        b, d, t = z.shape
        residual = z.transpose(1, 2).reshape(-1, d)
        total = torch.zeros_like(residual)
        commit, entropy, codes = 0.0, 0.0, []
        for stage in self.stages:
            q, idx, ent = stage(residual)
            commit = commit + F.mse_loss(residual, q)
            entropy = entropy + ent
            total = total + q
            residual = residual - q
            codes.append(idx.view(b, t))
        flat = z.transpose(1, 2).reshape(-1, d)
        out = flat + (total - flat).detach()
        return out.view(b, t, d).transpose(1, 2), commit, entropy, codes


class Codec(nn.Module):
    def __init__(self, dim=8, stages=2, size=16):
        super().__init__()
        self.enc = nn.Sequential(CausalConv(1, dim, 7), nn.ELU(), CausalConv(dim, dim, 4, stride=2))
        self.rvq = ResidualVQ(stages, size, dim)
        self.dec = nn.Sequential(nn.ConvTranspose1d(dim, dim, 2, stride=2), nn.ELU(), CausalConv(dim, 1, 7))

    def forward(self, wav):
        z, commit, entropy, codes = self.rvq(self.enc(wav))
        return self.dec(z), commit, entropy


def train_step(codec, opt, wav):
    recon, commit, entropy = codec(wav)
    loss = F.l1_loss(recon, wav) + 0.25 * commit - 0.01 * entropy
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(1)
codec = Codec()
opt = torch.optim.AdamW(codec.parameters(), 1e-3)
for _ in range(2):
    train_step(codec, opt, torch.randn(2, 1, 32))
