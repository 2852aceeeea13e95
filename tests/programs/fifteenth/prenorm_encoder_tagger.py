"""Sequence tagger with a pre-norm transformer encoder and relative position bias."""
import torch
from torch import nn, einsum


class RelativeBias(nn.Module):
    def __init__(self, heads, span=16):
        super().__init__()
        self.span = span
        self.table = nn.Embedding(2 * span + 1, heads)

    def forward(self, n):
        pos = torch.arange(n)
        rel = (pos[None] - pos[:, None]).clamp_(-self.span, self.span)
        rel += self.span
        return self.table(rel).permute(2, 0, 1)


class MHA(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        self.o = nn.Linear(dim, dim)
        self.bias = RelativeBias(heads)

    def forward(self, x, pad=None):
        b, n, d = x.shape
        q = self.q(x).view(b, n, self.h, -1)
        k, v = self.kv(x).view(b, n, 2, self.h, d // self.h).unbind(2)
        s = einsum("bihd,bjhd->bhij", q, k)
        s *= (d // self.h) ** -0.5
        s += self.bias(n)
        if pad is not None:
            s.masked_fill_(pad[:, None, None, :], -1e4)
        y = einsum("bhij,bjhd->bihd", s.softmax(-1), v)
        return self.o(y.reshape(b, n, d))


class FeedForward(nn.Module):
    def __init__(self, dim, mult=4, p=0.1):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, mult * dim), nn.ReLU(inplace=True), nn.Dropout(p), nn.Linear(mult * dim, dim))

    def forward(self, x):
        return self.net(x)


class PreNormLayer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])
        self.attn = MHA(dim, heads)
        self.ff = FeedForward(dim)

    def forward(self, x, pad=None):
        branches = (lambda z: self.attn(z, pad), self.ff)
        for norm, branch in zip(self.norms, branches):
            x += branch(norm(x))  # BUG
        return x


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=24, heads=3, depth=2, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.emb = nn.Embedding(vocab, dim, padding_idx=pad_id)
        self.layers = nn.ModuleList([PreNormLayer(dim, heads) for _ in range(depth)])
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, tags))

    def forward(self, ids):
        pad = ids.eq(self.pad_id)
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x, pad)
        return self.head(x)


def batch(n=4, length=9, vocab=30, tags=5):
    ids = torch.randint(1, vocab, (n, length))
    ids[0, length // 2:] = 0
    y = torch.randint(0, tags, (n, length))
    y[ids.eq(0)] = -100
    return ids, y


# --- driver ---
def main():
    torch.manual_seed(0)
    model = Tagger(30, 5)
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 10))
    for step in range(3):
        ids, y = batch()
        loss = nn.functional.cross_entropy(model(ids).transpose(1, 2), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
