import torch
import torch.nn as nn


class ControlledAttention(nn.Module):
    """Cross attention whose maps are re-weighted per prompt word before use."""

    def __init__(self, dim, ctx_dim, heads=2):
        super().__init__()
        self.h = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(ctx_dim, dim, bias=False)
        self.v = nn.Linear(ctx_dim, dim, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, ctx, boost=None):
        b, n, d = x.shape
        m = ctx.shape[1]
        q = self.q(x).view(b, n, self.h, -1).transpose(1, 2)
        k = self.k(ctx).view(b, m, self.h, -1).transpose(1, 2)
        v = self.v(ctx).view(b, m, self.h, -1).transpose(1, 2)

        sim = torch.einsum("bhid,bhjd->bhij", q, k) * (d // self.h) ** -0.5
        attn = sim.softmax(dim=-1)  # NOT
        attn = attn.clone()
        if boost is not None:
            for j, factor in boost.items():
                attn[..., j] *= factor
        attn[:, :, :, 0] = 0.0  # the start token only soaks up mass

        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.proj(out.transpose(1, 2).flatten(2))


class EditableBlock(nn.Module):
    def __init__(self, channels=12, ctx_dim=10):
        super().__init__()
        self.norm = nn.GroupNorm(3, channels)
        self.attn = ControlledAttention(channels, ctx_dim)
        self.ff = nn.Sequential(nn.Linear(channels, 24), nn.GELU(), nn.Linear(24, channels))

    def forward(self, img, ctx, boost=None):
        b, c, h, w = img.shape
        t = self.norm(img).flatten(2).transpose(1, 2)
        t = t + self.attn(t, ctx, boost)
        t = t + self.ff(t)
        return img + t.transpose(1, 2).reshape(b, c, h, w)


# --- driver ---
torch.manual_seed(47)
blk = EditableBlock().double().eval()
RESULTS = []
for (h, w), m, boost in (((4, 4), 7, None), ((3, 6), 9, {2: 2.5, 5: -1.0})):
    blk.zero_grad()
    img = torch.randn(2, 12, h, w, dtype=torch.float64, requires_grad=True)
    ctx = torch.randn(2, m, 10, dtype=torch.float64, requires_grad=True)
    y = blk(img, ctx, boost)
    torch.sigmoid(y).pow(2).sum().backward()
    RESULTS += [y.detach(), img.grad, ctx.grad] + [p.grad.clone() for p in blk.parameters()]
