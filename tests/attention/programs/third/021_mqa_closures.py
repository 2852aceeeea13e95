"""Multi-query attention built from closures; safe softmax written as exp / sum; a nested function per layer."""
import torch
import torch.nn as nn


def safe_softmax(x, dim=-1):
    x_max, _ = x.max(dim=dim, keepdim=True)
    e = torch.exp(x - x_max)
    return e / e.sum(dim=dim, keepdim=True)  # ATTN


def make_attention(num_heads, head_dim, causal):
    scale = head_dim ** -0.5

    def split(q):
        b, n, _ = q.shape
        return q.reshape(b, n, num_heads, head_dim)

    def attend(q, k, v):
        # q: b n (h d), k and v: b m d  (one head shared by all the queries)
        q = split(q)
        logits = torch.einsum("bnhd,bmd->bhnm", q, k)
        logits = logits * scale

        def hide_future(t):
            n, m = t.shape[-2:]
            rows = torch.arange(m - n, m).unsqueeze(-1)
            return torch.where(rows >= torch.arange(m), t, torch.finfo(t.dtype).min)

        if causal and (n := q.shape[1]) > 1:
            assert n <= k.shape[1]
            logits = hide_future(logits)
        probs = safe_softmax(logits)
        out = torch.einsum("bhnm,bmd->bnhd", probs, v)
        return out.flatten(2)

    return attend


class ParallelBlock(nn.Module):
    """PaLM block: attention and SwiGLU in parallel from one fused projection."""

    def __init__(self, dim, heads=4, dim_head=4, ff_mult=2, causal=True):
        super().__init__()
        attn_inner, ff_inner = heads * dim_head, dim * ff_mult
        self.fused_dims = (attn_inner, dim_head, dim_head, ff_inner * 2)
        self.norm = nn.LayerNorm(dim)
        self.fused = nn.Linear(dim, sum(self.fused_dims), bias=False)
        self.attn_out = nn.Linear(attn_inner, dim, bias=False)
        self.ff_out = nn.Linear(ff_inner, dim, bias=False)
        self.attend = make_attention(heads, dim_head, causal)

    def forward(self, x):
        q, k, v, ff = self.fused(self.norm(x)).split(self.fused_dims, dim=-1)
        a, gate = ff.chunk(2, dim=-1)
        return x + self.attn_out(self.attend(q, k, v)) + self.ff_out(torch.sigmoid(gate) * gate * a)


def build(vocab, dim, depth):
    emb = nn.Embedding(vocab, dim)
    nn.init.normal_(emb.weight, std=0.3)
    return nn.Sequential(emb, *[ParallelBlock(dim) for _ in range(depth)], nn.Linear(dim, vocab))


# --- driver ---
def main():
    torch.manual_seed(0)
    net = build(9, 12, 2).eval()
    ids = torch.randint(0, 9, (2, 7))
    logits = net(ids)
    nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:]).backward()
    return [logits] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
