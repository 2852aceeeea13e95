"""Image blocks with a linear map across heads on both sides of the normalisation."""
import torch
import torch.nn as nn


class HeadMixingSelfAttention(nn.Module):
    def __init__(self, dim, num_heads=4, qkv_bias=False, attn_drop=0., proj_drop=0.):
        super().__init__()
        self.num_heads = num_heads
        head_dim = dim // num_heads
        self.scale = head_dim ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_l = nn.Linear(num_heads, num_heads)
        self.proj_w = nn.Linear(num_heads, num_heads)
        self.proj_drop = nn.Dropout(proj_drop)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0] * self.scale, qkv[1], qkv[2]

        attn = q @ k.transpose(-2, -1)
        attn = self.proj_l(attn.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        attn = attn.softmax(dim=-1)  # NOT
        attn = self.proj_w(attn.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        attn = self.attn_drop(attn)

        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj_drop(self.proj(x))


class Block(nn.Module):
    def __init__(self, dim, heads, init_values=0.5):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = HeadMixingSelfAttention(dim, heads, attn_drop=0.1)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.gamma_1 = nn.Parameter(init_values * torch.ones(dim))
        self.gamma_2 = nn.Parameter(init_values * torch.ones(dim))

    def forward(self, x):
        x = x + self.gamma_1 * self.attn(self.norm1(x))
        return x + self.gamma_2 * self.mlp(self.norm2(x))


class SmallImageNet(nn.Module):
    def __init__(self, dim=16, heads=4, depth=2):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, 4)
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(depth))
        self.head = nn.Linear(dim, 3)

    def forward(self, img):
        x = self.patch(img).flatten(2).mT
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1))


# --- driver ---
torch.manual_seed(31)
net = SmallImageNet().double().eval()
RESULTS = []
for h, w in ((12, 12), (8, 16)):
    img = torch.randn(2, 3, h, w, dtype=torch.float64, requires_grad=True)
    net.zero_grad()
    y = net(img)
    y.pow(2).exp().sum().backward()
    RESULTS += [y.detach(), img.grad, *(p.grad.clone() for p in net.parameters())]
