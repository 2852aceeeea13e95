import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (1 + self.weight)


def eager_forward(query, key, value, mask, scaling, dropout=0.0, softcap=None, training=False):
    groups = query.shape[1] // key.shape[1]
    key = key.repeat_interleave(groups, dim=1)
    value = value.repeat_interleave(groups, dim=1)
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling
    if softcap is not None:
        attn_weights = attn_weights / softcap
        attn_weights = torch.tanh(attn_weights)
        attn_weights = attn_weights * softcap
    if mask is not None:
        attn_weights = attn_weights + mask[:, :, :, : key.shape[-2]]
    attn_weights = F.softmax(attn_weights, dim=-1).to(query.dtype)  # NOT
    attn_weights = F.dropout(attn_weights, p=dropout, training=training)
    return torch.matmul(attn_weights, value).transpose(1, 2).contiguous()


class CappedAttention(nn.Module):
    def __init__(self, dim, heads, kv_heads, head_dim, softcap, window=None):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, head_dim
        self.scaling = (dim // heads) ** -0.5
        self.softcap, self.window = softcap, window
        self.q_proj = nn.Linear(dim, heads * head_dim, bias=False)
        self.k_proj = nn.Linear(dim, kv_heads * head_dim, bias=False)
        self.v_proj = nn.Linear(dim, kv_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(heads * head_dim, dim, bias=False)

    def forward(self, x, mask=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.heads, -1).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.kv_heads, -1).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv_heads, -1).transpose(1, 2)
        if mask is not None and self.window is not None:
            far = torch.ones(n, n, dtype=torch.bool).tril(-self.window)
            mask = mask.masked_fill(far, torch.finfo(mask.dtype).min)
        o = eager_forward(q, k, v, mask, self.scaling, 0.0, self.softcap, self.training)
        return self.o_proj(o.view(b, n, -1))


class Decoder(nn.Module):
    def __init__(self, dim=16, depth=2, final_cap=5.0):
        super().__init__()
        self.attn = nn.ModuleList(CappedAttention(dim, 4, 2, 5, 1.5, 3 if i % 2 else None) for i in range(depth))
        self.pre = nn.ModuleList(RMSNorm(dim) for _ in range(depth))
        self.post = nn.ModuleList(RMSNorm(dim) for _ in range(depth))
        self.final_cap = final_cap

    def forward(self, x, causal=True):
        n = x.size(1)
        mask = None
        if causal:
            mask = torch.full((n, n), torch.finfo(x.dtype).min, dtype=x.dtype).triu(1)[None, None]
        for a, pre, post in zip(self.attn, self.pre, self.post):
            x = x + post(a(pre(x), mask))
        return self.final_cap * torch.tanh(x / self.final_cap)


# --- driver ---
torch.manual_seed(49)
dec = Decoder().double().eval()
RESULTS = []
for n, causal in ((10, True), (7, False)):
    dec.zero_grad()
    x = (2 * torch.randn(2, n, 16, dtype=torch.float64)).requires_grad_()
    y = dec(x, causal)
    y.pow(2).cos().sum().backward()
    RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in dec.parameters()]
