"""Memory-frugal attention for a vision transformer: everything in place where autograd allows it, sample by sample."""
import torch
import torch.nn as nn


class FrugalAttention(nn.Module):
    def __init__(self, dim, num_heads, sr_ratio=1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.proj = nn.Linear(dim, dim)
        self.sr_ratio = sr_ratio
        if sr_ratio > 1:
            self.sr = nn.Conv2d(dim, dim, kernel_size=sr_ratio, stride=sr_ratio)
            self.norm = nn.LayerNorm(dim)

    def reduce(self, x, H, W):
        if self.sr_ratio == 1:
            return x
        B, N, C = x.shape
        x_ = x.permute(0, 2, 1).reshape(B, C, H, W)
        return self.norm(self.sr(x_).reshape(B, C, -1).permute(0, 2, 1))

    def forward(self, x, H, W, drop=None):
        B, N, C = x.shape
        q = self.q(x).reshape(B, N, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        kv = self.kv(self.reduce(x, H, W)).reshape(B, -1, 2, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        k, v = kv

        out = x.new_zeros(B, N, C)
        for b in range(B):
            scores = torch.bmm(q[b], k[b].transpose(1, 2))
            scores.mul_(self.head_dim ** -0.5)
            if drop is not None:
                # keys dropped for this sample
                scores.masked_fill_(drop[b].view(1, 1, -1), float("-inf"))
            scores.sub_(scores.detach().amax(-1, keepdim=True))
            probs = scores.exp()
            probs = probs.div(probs.sum(-1, keepdim=True))  # ATTN
            out[b] = torch.bmm(probs, v[b]).transpose(0, 1).reshape(N, C)
        return self.proj(out)


class Stage(nn.Module):
    def __init__(self, in_ch, dim, heads, sr, patch):
        super().__init__()
        self.embed = nn.Conv2d(in_ch, dim, patch, patch)
        self.attn = FrugalAttention(dim, heads, sr)
        self.norm = nn.LayerNorm(dim)

    def forward(self, img, drop=None):
        x = self.embed(img)
        B, C, H, W = x.shape
        x = x.flatten(2).transpose(1, 2)
        x = x + self.attn(self.norm(x), H, W, drop)
        return x.transpose(1, 2).reshape(B, C, H, W)


# --- driver ---
def main():
    torch.manual_seed(0)
    s1, s2 = Stage(3, 8, 2, 2, 2).eval(), Stage(8, 12, 3, 1, 2).eval()
    img = torch.randn(2, 3, 8, 8, requires_grad=True)
    drop = torch.tensor([[False, True, False, False], [False, False, False, True]])
    out = s2(s1(img, drop))
    out.pow(2).sum().backward()
    return [out, img.grad] + [p.grad for m in (s1, s2) for p in m.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
