import torch
import torch.nn as nn
import torch.nn.functional as F


class ScaledAttention(nn.Module):
    def __init__(self, dim: int, nheads: int, p: float = 0.0):
        super().__init__()
        hd = dim // nheads
        self.nheads = nheads
        self.drop = nn.Dropout(p)
        self.register_buffer("scale", torch.rsqrt(torch.tensor(float(hd))))
        self.in_proj = nn.Parameter(torch.empty(3, dim, dim))
        self.in_bias = nn.Parameter(torch.zeros(3, dim))
        nn.init.xavier_uniform_(self.in_proj)

    def forward(self, x: torch.Tensor, keep: torch.Tensor = None) -> torch.Tensor:
        # x: (S, B, C) sequence first
        S, B, C = x.shape
        qkv = torch.einsum("sbc,ncd->nsbd", x, self.in_proj) + self.in_bias[:, None, None]
        qkv = qkv.view(3, S, B, self.nheads, -1).permute(0, 2, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        dots = torch.einsum("...id,...jd->...ij", q, k).mul(self.scale)
        if keep is not None:
            dots = dots.masked_fill(keep.logical_not()[:, None, None], -torch.inf)
        att = self.drop(F.softmax(dots, dim=-1))  # ATTN
        out = torch.einsum("...ij,...jd->...id", att, v)
        return out.permute(2, 0, 1, 3).reshape(S, B, C)


def make():
    torch.manual_seed(6)
    m = ScaledAttention(24, 4, p=0.25).train()
    keep = torch.ones(3, 6, dtype=torch.bool)
    keep[2, 3:] = False
    return m, (torch.randn(6, 3, 24, requires_grad=True), keep)
