"""Autoregressive codec-token model, scheduled sampling by unrolling the decoder step by step."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class KVStore:
    """Preallocated keys and values of one layer."""

    def __init__(self, batch, heads, max_len, d):
        self.k = torch.zeros(batch, heads, max_len, d)
        self.v = torch.zeros(batch, heads, max_len, d)
        self.n = 0

    def append(self, k, v):
        kv = torch.stack([k, v])
        for buf, new in zip((self.k, self.v), kv):
            buf[:, :, self.n] = new  # BUG
        self.n += 1
        return self.k[:, :, : self.n], self.v[:, :, : self.n]


class StepAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.dh = heads, d // heads
        self.qkv = nn.Linear(d, 3 * d)
        self.o = nn.Linear(d, d)

    def forward(self, x, store):
        q, k, v = self.qkv(x).view(-1, 3, self.h, self.dh).unbind(1)
        keys, values = store.append(k, v)
        w = torch.einsum("bhd,bhtd->bht", q, keys)
        w *= self.dh**-0.5
        y = torch.einsum("bht,bhtd->bhd", w.softmax(-1), values)
        return self.o(y.flatten(1))


class Layer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = StepAttention(d, heads)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x, store):
        x = x + self.att(self.n1(x), store)
        return x + self.ff(self.n2(x))


class CodecLM(nn.Module):
    def __init__(self, vocab=16, d=16, heads=2, depth=2, max_len=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.randn(max_len, d) * 0.02)
        self.layers = nn.ModuleList(Layer(d, heads) for _ in range(depth))
        self.head = nn.Linear(d, vocab)
        self.heads, self.dh, self.max_len = heads, d // heads, max_len

    def stores(self, batch):
        return [KVStore(batch, self.heads, self.max_len, self.dh) for _ in self.layers]

    def step(self, tok, t, stores):
        x = self.emb(tok) + self.pos[t]
        for layer, st in zip(self.layers, stores):
            x = layer(x, st)
        return self.head(x)


def scheduled_sampling(model, tokens, p):
    stores = model.stores(len(tokens))
    tok, total = tokens[:, 0], 0.0
    for t in range(tokens.shape[1] - 1):
        logits = model.step(tok, t, stores)
        total = total + F.cross_entropy(logits, tokens[:, t + 1])
        own = logits.detach().softmax(-1).multinomial(1).squeeze(1)
        tok = torch.where(torch.rand(len(tokens)) < p, own, tokens[:, t + 1])
    return total / (tokens.shape[1] - 1)


# --- driver ---
torch.manual_seed(30)
lm = CodecLM()
opt = torch.optim.AdamW(lm.parameters(), 1e-3)
for it in range(3):
    loss = scheduled_sampling(lm, torch.randint(0, 16, (4, 8)), p=0.1 * it)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
