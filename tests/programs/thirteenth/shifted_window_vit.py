import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import lru_cache, partial


def to_windows(x, ws):
    b, h, w, c = x.shape
    return x.view(b, h // ws, ws, w // ws, ws, c).transpose(2, 3).reshape(-1, ws * ws, c)


def from_windows(win, ws, h, w):
    b = win.shape[0] // ((h // ws) * (w // ws))
    return win.view(b, h // ws, w // ws, ws, ws, -1).transpose(2, 3).reshape(b, h, w, -1)


@lru_cache(maxsize=None)
def shift_mask(h, w, ws, shift):
    region = torch.zeros(1, h, w, 1)
    cuts = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
    for i, r in enumerate(cuts):
        for j, c in enumerate(cuts):
            region[:, r, c] = 3 * i + j
    win = to_windows(region, ws).squeeze(-1)
    return win[:, None, :] != win[:, :, None]


def relative_index(ws):
    r = torch.arange(ws)
    coords = torch.stack(torch.meshgrid(r, r, indexing="ij")).flatten(1)
    rel = (coords[:, :, None] - coords[:, None]).permute(1, 2, 0).contiguous()
    rel += ws - 1
    rel[..., 0] *= 2 * ws - 1
    return rel.sum(-1)


class WindowAttention(nn.Module):
    def __init__(self, dim, heads, ws):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.bias_table = nn.Parameter(torch.zeros((2 * ws - 1) ** 2, heads))
        nn.init.trunc_normal_(self.bias_table, std=0.02)
        self.register_buffer("index", relative_index(ws), persistent=False)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x, mask):
        nb, n, c = x.shape
        q, k, v = self.qkv(x).view(nb, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = torch.matmul(q * self.scale, k.mT)
        s += self.bias_table[self.index].permute(2, 0, 1)
        if mask is not None:
            s.view(-1, len(mask), self.heads, n, n).masked_fill_(mask[:, None], -100.0)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(nb, n, c))


class SwinBlock(nn.Module):
    def __init__(self, dim, heads, ws, shift, norm=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.ws, self.shift = ws, shift
        self.n1, self.n2 = norm(dim), norm(dim)
        self.attn = WindowAttention(dim, heads, ws)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.gamma = nn.Parameter(torch.full((dim,), 0.1))

    def forward(self, x):
        b, h, w, _ = x.shape
        y, mask = self.n1(x), None
        if self.shift:
            y = y.roll((-self.shift, -self.shift), (1, 2))
            mask = shift_mask(h, w, self.ws, self.shift)
        y = from_windows(self.attn(to_windows(y, self.ws), mask), self.ws, h, w)
        if self.shift:
            y = y.roll((self.shift, self.shift), (1, 2))
        x = x + self.gamma * y
        return x + self.mlp(self.n2(x))


class Swin(nn.Module):
    def __init__(self, dim=12, heads=2, ws=4, depth=4, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, 2, 2)
        self.blocks = nn.Sequential(*(SwinBlock(dim, heads, ws, (i % 2) * ws // 2) for i in range(depth)))
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        return self.head(self.blocks(self.stem(img).permute(0, 2, 3, 1)).mean((1, 2)))


# --- driver ---
torch.manual_seed(0)
net = Swin()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.05)
for _ in range(3):
    loss = F.cross_entropy(net(torch.randn(2, 3, 16, 16)), torch.randint(0, 5, (2,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
