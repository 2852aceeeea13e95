"""Efficient attention (Shen et al.): softmax on queries and keys separately, context = K^T V first."""
import torch
from torch import nn


class LinearAttention2d(nn.Module):
    def __init__(self, dim, heads=2, dim_head=5):
        super().__init__()
        self.heads, self.scale = heads, dim_head ** -0.5
        hidden = heads * dim_head
        self.to_qkv = nn.Conv2d(dim, hidden * 3, 1, bias=False)
        self.to_out = nn.Sequential(nn.Conv2d(hidden, dim, 1), nn.GroupNorm(1, dim))

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = (t.reshape(b, self.heads, -1, h * w) for t in self.to_qkv(x).chunk(3, dim=1))
        q = q.softmax(dim=-2) * self.scale  # NOT
        k = k.softmax(dim=-1)
        context = torch.einsum("b h d n, b h e n -> b h d e", k, v)
        out = torch.einsum("b h d e, b h d n -> b h e n", context, q)
        return self.to_out(out.reshape(b, -1, h, w))


class LinearAttention1d(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        if mask is not None:
            k = k.masked_fill(~mask[:, None, :, None], -torch.finfo(k.dtype).max)
        q = torch.softmax(q, dim=-1)
        k = torch.softmax(k, dim=-2)
        out = q @ (k.transpose(-2, -1) @ v)
        return self.proj(out.transpose(1, 2).reshape(b, n, c))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.spatial = LinearAttention2d(8)
        self.tokens = LinearAttention1d(8)
        self.head = nn.Linear(8, 2)

    def forward(self, x, mask=None):
        x = self.stem(x)
        x = x + self.spatial(x)
        t = x.flatten(2).transpose(1, 2)
        t = t + self.tokens(t, mask)
        return self.head(t)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Net().eval()
    x = torch.randn(2, 3, 3, 4, requires_grad=True)
    mask = torch.arange(12)[None] < torch.tensor([[12], [9]])
    y = net(x, mask)
    y.pow(2).mean().backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
