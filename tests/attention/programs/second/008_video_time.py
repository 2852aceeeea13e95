import torch
import torch.nn as nn


def fold_space(x, frames):
    """(b, f*n, d) -> (b*n, f, d)"""
    b, fn, d = x.shape
    n = fn // frames
    return x.reshape(b, frames, n, d).permute(0, 2, 1, 3).reshape(b * n, frames, d), n


def unfold_space(x, b, n):
    f, d = x.shape[1:]
    return x.reshape(b, n, f, d).permute(0, 2, 1, 3).reshape(b, f * n, d)


class TemporalMixer(nn.Module):
    """Every patch position looks at its own history over the clip.

    heads are kept on axis 0 together with batch and position
    """

    def __init__(self, dim, dim_head=8, heads=2):
        super().__init__()
        inner = dim_head * heads
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.to_qkv = nn.Linear(dim, inner * 3, bias=False)
        self.softmax = nn.Softmax(dim=-1)
        self.to_out = nn.Sequential(nn.Linear(inner, dim), nn.Dropout(0.1))

    def split_heads(self, t):
        g, f, _ = t.shape
        return t.reshape(g, f, self.heads, -1).transpose(1, 2).reshape(g * self.heads, f, -1)

    def merge_heads(self, t):
        gh, f, d = t.shape
        return t.reshape(gh // self.heads, self.heads, f, d).transpose(1, 2).reshape(-1, f, self.heads * d)

    def forward(self, x, frames):
        b = x.shape[0]
        x, n = fold_space(x, frames)
        q, k, v = map(self.split_heads, self.to_qkv(x).chunk(3, dim=-1))
        sim = torch.einsum('b i d, b j d -> b i j', q, k) * self.scale
        attn = self.softmax(sim)  # ATTN
        out = torch.einsum('b i j, b j d -> b i d', attn, v)
        out = self.to_out(self.merge_heads(out))
        return unfold_space(out, b, n)


class ClipClassifier(nn.Module):
    def __init__(self, dim=18, classes=4):
        super().__init__()
        self.embed = nn.Conv3d(3, dim, (1, 4, 4), stride=(1, 4, 4))
        self.time = nn.ModuleList([TemporalMixer(dim) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(2)])
        self.head = nn.Linear(dim, classes)

    def forward(self, clip):
        f = clip.shape[2]
        x = self.embed(clip).flatten(3)                    # b d f n
        x = x.permute(0, 2, 3, 1).flatten(1, 2)            # b (f n) d
        for norm, mix in zip(self.norms, self.time):
            x = x + mix(norm(x), f)
        return self.head(x.mean(1))


# --- driver ---
torch.manual_seed(8)
net = ClipClassifier().double().eval()
RESULTS = []
for f in (4, 7):
    clip = torch.randn(2, 3, f, 8, 8, dtype=torch.float64).requires_grad_(True)
    net.zero_grad()
    o = net(clip)
    o.exp().sum().backward()
    RESULTS += [o.detach(), clip.grad]
    for p in net.parameters():
        RESULTS.append(p.grad.clone())
