import torch
from torch import nn


class PerceiverResampler(nn.Module):
    def __init__(self, dim, num_latents, heads, depth=2, attn_dropout=0.1):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, dim))
        self.layers = nn.ModuleList(
            [LatentCrossAttention(dim, heads, attn_dropout) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, feats, mask=None):
        z = self.latents[None].repeat(feats.shape[0], 1, 1)
        for layer in self.layers:
            z = layer(z, feats, mask) + z
        return self.norm(z)


class LatentCrossAttention(nn.Module):
    def __init__(self, dim, heads, attn_dropout):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.norm_media = nn.LayerNorm(dim)
        self.norm_latents = nn.LayerNorm(dim)
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)
        self.attend = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(attn_dropout)

    def forward(self, z, x, mask):
        x, z = self.norm_media(x), self.norm_latents(z)
        n_lat = z.shape[1]
        q = self.to_q(z)
        k, v = self.to_kv(torch.cat((x, z), dim=-2)).chunk(2, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))

        dots = torch.matmul(q * self.scale, k.transpose(-1, -2))
        if mask is not None:
            mask = nn.functional.pad(mask, (0, n_lat), value=True)
            dots = dots.masked_fill(~mask[:, None, None, :], torch.finfo(dots.dtype).min)
        attn = self.dropout(self.attend(dots))  # ATTN

        out = torch.matmul(attn, v).transpose(1, 2).flatten(-2)
        return self.to_out(out)


def make():
    torch.manual_seed(13)
    net = PerceiverResampler(24, 4, 3).eval()
    feats = torch.randn(2, 10, 24, requires_grad=True)
    mask = torch.zeros(2, 10, dtype=torch.bool)
    mask[0, :7] = True
    return net, (feats, mask)
