import torch
from torch import nn, einsum


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


class GEGLU(nn.Module):
    def __init__(self, dim_in, dim_out):
        super().__init__()
        self.proj = nn.Linear(dim_in, dim_out * 2)

    def forward(self, x):
        x, gate = self.proj(x).chunk(2, dim=-1)
        return x * nn.functional.gelu(gate)


class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=64, upcast=False):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = default(context_dim, query_dim)
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.upcast_attention = upcast
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, query_dim), nn.Dropout(0.))

    def reshape_heads_to_batch_dim(self, tensor):
        b, n, d = tensor.shape
        h = self.heads
        return tensor.reshape(b, n, h, d // h).permute(0, 2, 1, 3).reshape(b * h, n, d // h)

    def reshape_batch_dim_to_heads(self, tensor):
        bh, n, d = tensor.shape
        h = self.heads
        return tensor.reshape(bh // h, h, n, d).permute(0, 2, 1, 3).reshape(bh // h, n, d * h)

    def get_attention_scores(self, query, key):
        if self.upcast_attention:
            query, key = query.double(), key.double()
        empty = torch.empty(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
        scores = torch.baddbmm(empty, query, key.transpose(-1, -2), beta=0, alpha=self.scale)
        return scores.softmax(dim=-1)  # ATTN

    def forward(self, x, context=None):
        context = default(context, x)
        q = self.reshape_heads_to_batch_dim(self.to_q(x))
        k = self.reshape_heads_to_batch_dim(self.to_k(context))
        v = self.reshape_heads_to_batch_dim(self.to_v(context))
        probs = self.get_attention_scores(q, k).to(v.dtype)
        out = torch.bmm(probs, v)
        return self.to_out(self.reshape_batch_dim_to_heads(out))


class SpatialTransformer(nn.Module):
    def __init__(self, ch, ctx, heads=2, d_head=6):
        super().__init__()
        self.norm = nn.GroupNorm(2, ch)
        self.proj_in = nn.Conv2d(ch, ch, 1)
        self.attn1 = CrossAttention(ch, heads=heads, dim_head=d_head, upcast=True)
        self.attn2 = CrossAttention(ch, ctx, heads=heads, dim_head=d_head)
        self.ff = nn.Sequential(GEGLU(ch, 2 * ch), nn.Linear(2 * ch, ch))
        self.norms = nn.ModuleList(nn.LayerNorm(ch) for _ in range(3))

    def forward(self, x, context=None):
        b, c, h, w = x.shape
        t = self.proj_in(self.norm(x)).flatten(2).transpose(1, 2)
        t = t + self.attn1(self.norms[0](t))
        t = t + self.attn2(self.norms[1](t), context)
        t = t + self.ff(self.norms[2](t))
        return x + t.transpose(1, 2).reshape(b, c, h, w)


# --- driver ---
torch.manual_seed(23)
st = SpatialTransformer(10, 14).double().eval()
RESULTS = []
for hw, n in (((4, 4), 7), ((3, 5), 11)):
    x = torch.randn(2, 10, *hw, dtype=torch.float64, requires_grad=True)
    ctx = torch.randn(2, n, 14, dtype=torch.float64, requires_grad=True)
    st.zero_grad()
    y = st(x, ctx)
    y.sin().square().sum().backward()
    RESULTS += [y.detach(), x.grad, ctx.grad] + [p.grad.clone() for p in st.parameters()]
