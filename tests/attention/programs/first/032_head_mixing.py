import torch
from torch import nn


class MixedHeadAttention(nn.Module):
    """Learned maps across the head axis on either side of the normalisation."""

    def __init__(self, dim, heads, dim_head, pre=True, post=True, dropout=0.0):
        super().__init__()
        self.h = heads
        self.scale = dim_head ** -0.5
        inner = heads * dim_head
        self.to_qkv = nn.Linear(dim, inner * 3, bias=False)
        eye = torch.eye(heads)
        self.mix_pre = nn.Parameter(eye + 0.2 * torch.randn(heads, heads)) if pre else None
        self.mix_post = nn.Parameter(eye + 0.2 * torch.randn(heads, heads)) if post else None
        self.drop = nn.Dropout(dropout)
        self.to_out = nn.Sequential(nn.Linear(inner, dim), nn.Dropout(dropout))

    def forward(self, x, mask=None):
        b, n, _ = x.shape
        q, k, v = (t.view(b, n, self.h, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1))
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        if self.mix_pre is not None:
            dots = torch.einsum("bhij,hg->bgij", dots, self.mix_pre)
        if mask is not None:
            dots = dots.masked_fill(~mask[:, None, None, :], -torch.finfo(dots.dtype).max)
        attn = dots.softmax(dim=-1)  # NOT
        attn = self.drop(attn)
        if self.mix_post is not None:
            attn = torch.einsum("bhij,hg->bgij", attn, self.mix_post)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))


class CaitLike(nn.Module):
    def __init__(self, dim=18, heads=3, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.ModuleList([nn.LayerNorm(dim), MixedHeadAttention(dim, heads, 6, dropout=0.1)])
            for _ in range(depth)
        )
        self.gain = nn.Parameter(torch.full((depth, dim), 0.3))

    def forward(self, x, mask=None):
        for (norm, attn), g in zip(self.blocks, self.gain):
            x = x + g * attn(norm(x), mask)
        return x


# --- driver ---
torch.manual_seed(32)
net = CaitLike().double().eval()
RESULTS = []
for n, masked in ((9, False), (12, True)):
    net.zero_grad()
    x = torch.randn(2, n, 18, dtype=torch.float64, requires_grad=True)
    mask = torch.arange(n)[None] < torch.tensor([[n], [n // 2]]) if masked else None
    y = net(x, mask)
    y.sin().pow(2).sum().backward()
    RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in net.parameters()]
