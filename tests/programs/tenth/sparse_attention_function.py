"""Sequence tagger with sparsemax attention written as an autograd Function, plus attention-column regularisation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Sparsemax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        z, _ = torch.sort(scores, dim=-1, descending=True)
        rank = torch.arange(1, z.shape[-1] + 1, dtype=z.dtype)
        cum = z.cumsum(-1).sub_(1)
        size = (z * rank > cum).sum(-1, keepdim=True)
        tau = cum.gather(-1, size - 1).div_(size)
        probs = (scores - tau).clamp_(min=0)
        ctx.probs = probs
        return probs

    @staticmethod
    def backward(ctx, grad):
        support = ctx.probs > 0
        inner = grad * support
        mean = inner.sum(-1, keepdim=True) / support.sum(-1, keepdim=True).clamp_(min=1)
        return (inner - mean) * support


class ColumnDrop(nn.Module):
    """During training whole attended positions vanish from some heads' view."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, attn):
        if not self.training or self.p == 0:
            return attn
        keep = torch.rand(attn.shape[:-2] + (1, attn.shape[-1])) >= self.p
        return attn.mul_(keep)  # BUG silent


class SparseAttention(nn.Module):
    def __init__(self, dim, heads=2, drop=0.2):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.drop = ColumnDrop(drop)
        self.proj = nn.Linear(dim, dim)

    def split(self, x):
        b, t, d = x.shape
        return x.view(b, t, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x, pad):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.transpose(-1, -2)
        scores.div_(q.shape[-1] ** 0.5)
        scores.masked_fill_(pad[:, None, None], -1e4)
        attn = self.drop(Sparsemax.apply(scores))
        out = (attn @ v).transpose(1, 2).flatten(2)
        return self.proj(out)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SparseAttention(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))

    def forward(self, x, pad):
        x = x + self.attn(self.n1(x), pad)
        return x + self.ff(self.n2(x))


class Tagger(nn.Module):
    def __init__(self, vocab=30, tags=5, dim=16, depth=2, max_len=16):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim, padding_idx=0), nn.Embedding(max_len, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        pad = ids == 0
        x = self.tok(ids)
        x += self.pos.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x, pad)
        return self.out(x)


# --- driver ---
torch.manual_seed(29)
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    ids = torch.randint(1, 30, (4, 8))
    ids[0, 5:] = 0
    tags = torch.randint(0, 5, (4, 8)).masked_fill_(ids == 0, -100)
    loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
