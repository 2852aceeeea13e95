"""CaiT: talking-heads attention, linear maps over the head axis before and after the softmax."""
import torch
import torch.nn as nn


class LayerScale(nn.Module):
    def __init__(self, dim, init=0.3):
        super().__init__()
        self.gamma = nn.Parameter(init * torch.ones(dim))

    def forward(self, x):
        return self.gamma * x


class TalkingHeadAttn(nn.Module):
    def __init__(self, dim, num_heads=4, qkv_bias=False, attn_drop=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_l = nn.Linear(num_heads, num_heads)
        self.proj_w = nn.Linear(num_heads, num_heads)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0] * self.scale, qkv[1], qkv[2]

        attn = q @ k.transpose(-2, -1)
        attn = self.proj_l(attn.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        attn = attn.softmax(dim=-1)  # ATTN
        attn = self.proj_w(attn.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        attn = self.attn_drop(attn)

        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class LayerScaleBlock(nn.Module):
    def __init__(self, dim, heads, mlp_ratio=2.0):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = TalkingHeadAttn(dim, heads)
        hidden = int(dim * mlp_ratio)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
        self.ls1, self.ls2 = LayerScale(dim), LayerScale(dim)

    def forward(self, x):
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + self.ls2(self.mlp(self.norm2(x)))


class Cait(nn.Module):
    def __init__(self, in_chans=3, dim=16, depth=2, heads=4, patch=4, classes=5):
        super().__init__()
        self.patch_embed = nn.Conv2d(in_chans, dim, patch, patch)
        self.pos_embed = nn.Parameter(torch.randn(1, 4, dim) * 0.02)
        self.blocks = nn.Sequential(*(LayerScaleBlock(dim, heads) for _ in range(depth)))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = self.blocks(x + self.pos_embed)
        return self.head(x.mean(1))


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Cait().eval()
    img = torch.randn(2, 3, 8, 8, requires_grad=True)
    out = net(img)
    nn.functional.cross_entropy(out, torch.tensor([1, 4])).backward()
    return [out, img.grad, *[p.grad for p in net.parameters()]]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
