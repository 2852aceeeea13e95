import torch
import torch.nn as nn


class QuietAttention(nn.Module):
    """Heads may abstain: every row of weights can sum to anything up to one."""

    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        assert dim % heads == 0
        self.heads, self.dh = heads, dim // heads
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        q, k, v = self.wqkv(x).view(B, T, 3, self.heads, self.dh).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) * self.dh ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        peak = scores.amax(dim=-1, keepdim=True).clamp(min=0)
        e = torch.exp(scores - peak)
        probs = e / (torch.exp(-peak) + e.sum(dim=-1, keepdim=True))  # NOT
        y = self.dropout(probs) @ v
        return self.wo(y.transpose(1, 2).reshape(B, T, D))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = QuietAttention(dim, heads, 0.1)
        self.mlp = nn.Sequential(nn.Linear(dim, 3 * dim), nn.SiLU(), nn.Linear(3 * dim, dim))

    def forward(self, x, mask=None):
        x = x + self.attn(self.n1(x), mask)
        return x + self.mlp(self.n2(x))


class TinyLM(nn.Module):
    def __init__(self, vocab=19, dim=20, heads=4, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids, causal=True):
        x = self.emb(ids)
        n = ids.size(1)
        mask = torch.tril(torch.ones(n, n, dtype=torch.bool)) if causal else None
        for layer in self.layers:
            x = layer(x, mask)
        return self.out(x)


# --- driver ---
torch.manual_seed(45)
lm = TinyLM().double().eval()
RESULTS = []
for shape, causal in (((2, 11), True), ((3, 6), False)):
    lm.zero_grad()
    ids = torch.randint(0, 19, shape)
    logits = lm(ids, causal)
    logits.log_softmax(-1).exp().square().sum().backward()
    RESULTS += [logits.detach()] + [p.grad.clone() for p in lm.parameters()]
