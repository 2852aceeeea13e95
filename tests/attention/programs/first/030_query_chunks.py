import torch
from torch import nn


def iter_chunks(length, size):
    start = 0
    while start < length:
        yield start, min(start + size, length)
        start += size


def chunked_attention(q, k, v, chunk=4, causal=False):
    """Yields the result of one block of queries at a time to bound peak memory."""
    n_q, n_k = q.size(-2), k.size(-2)
    inv = q.size(-1) ** -0.5
    kt = k.transpose(-2, -1)
    for lo, hi in iter_chunks(n_q, chunk):
        block = torch.matmul(q[..., lo:hi, :] * inv, kt)
        if causal:
            rows = torch.arange(lo, hi).unsqueeze(1) + (n_k - n_q)
            cols = torch.arange(n_k).unsqueeze(0)
            block = block.masked_fill(cols > rows, float("-inf"))
        yield torch.matmul(block.softmax(dim=-1), v)  # ATTN


class MemoryFrugalAttention(nn.Module):
    def __init__(self, dim, heads, chunk):
        super().__init__()
        self.heads, self.chunk = heads, chunk
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def heads_first(self, t):
        return t.view(*t.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, ctx=None, causal=False):
        ctx = x if ctx is None else ctx
        k, v = self.to_kv(ctx).chunk(2, dim=-1)
        q, k, v = map(self.heads_first, (self.to_q(x), k, v))
        out = torch.cat(list(chunked_attention(q, k, v, self.chunk, causal)), dim=-2)
        return self.to_out(out.permute(0, 2, 1, 3).flatten(2))


class LongEncoder(nn.Module):
    def __init__(self, dim=20, heads=2, chunk=4):
        super().__init__()
        self.inp = nn.Conv1d(3, dim, 3, padding=1)
        self.a = MemoryFrugalAttention(dim, heads, chunk)
        self.b = MemoryFrugalAttention(dim, heads, chunk)
        self.probe = nn.Parameter(torch.randn(5, dim))

    def forward(self, sig, causal):
        h = self.inp(sig).transpose(1, 2)
        h = h + self.a(h, causal=causal)
        p = self.probe.expand(h.size(0), -1, -1)
        return self.b(p, ctx=h)


# --- driver ---
torch.manual_seed(30)
enc = LongEncoder().double().eval()
RESULTS = []
for n, causal in ((15, True), (8, False)):
    enc.zero_grad()
    sig = torch.randn(2, 3, n, dtype=torch.float64, requires_grad=True)
    y = enc(sig, causal)
    torch.tanh(3 * y).sum().backward()
    RESULTS += [y.detach(), sig.grad]
    RESULTS += [p.grad.clone() for p in enc.parameters()]
