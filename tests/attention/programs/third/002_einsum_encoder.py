"""lucidrains-flavoured encoder with an einsum attention and a boolean padding mask."""
import torch
from torch import nn, einsum


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


def max_neg_value(t):
    return -torch.finfo(t.dtype).max


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs) + x


class FeedForward(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))

    def forward(self, x):
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=8, context_dim=None):
        super().__init__()
        inner = heads * dim_head
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.to_q = nn.Linear(dim, inner, bias=False)
        self.to_kv = nn.Linear(default(context_dim, dim), inner * 2, bias=False)
        self.to_out = nn.Linear(inner, dim)

    def forward(self, x, context=None, mask=None):
        b, n, h = *x.shape[:2], self.heads
        context = default(context, x)

        q, k, v = (self.to_q(x), *self.to_kv(context).chunk(2, dim=-1))
        q, k, v = map(lambda t: t.reshape(b, -1, h, t.shape[-1] // h).permute(0, 2, 1, 3), (q, k, v))

        dots = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale

        if exists(mask):
            mask_value = max_neg_value(dots)
            pair = mask[:, None, :, None] * mask[:, None, None, :]
            dots.masked_fill_(~pair, mask_value)

        attn = dots.softmax(dim=-1)  # ATTN
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        out = out.permute(0, 2, 1, 3).reshape(b, n, -1)
        return self.to_out(out)


class Encoder(nn.Module):
    def __init__(self, *, num_tokens, dim, depth, max_len):
        super().__init__()
        self.token = nn.Embedding(num_tokens, dim)
        self.pos = nn.Parameter(torch.randn(1, max_len, dim) * 0.1)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([
                PreNorm(dim, Attention(dim)),
                PreNorm(dim, FeedForward(dim)),
            ]))
        self.head = nn.Linear(dim, 5)

    def forward(self, ids, mask=None):
        x = self.token(ids) + self.pos[:, : ids.shape[1]]
        for attn, ff in self.layers:
            x = attn(x, mask=mask)
            x = ff(x)
        return self.head(x)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Encoder(num_tokens=17, dim=16, depth=2, max_len=8).eval()
    ids = torch.randint(0, 17, (3, 7))
    lengths = torch.tensor([7, 4, 1])
    mask = torch.arange(7)[None] < lengths[:, None]
    out = net(ids, mask=mask)
    # loss over every position: padded query rows are fully masked and count too
    out.pow(2).sum().backward()
    return [out, *(p.grad for p in net.parameters())]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
