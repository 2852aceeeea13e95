import torch
from torch import nn


class BidirectionalCross(nn.Module):
    """Moves information from set B to set A, and the result back to set B, along the same edges."""

    def __init__(self, dim_a, dim_b, dim):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_q = nn.Linear(dim_a, dim, bias=False)
        self.to_k = nn.Linear(dim_b, dim, bias=False)
        self.to_v = nn.Linear(dim_b, dim, bias=False)
        self.out_a = nn.Linear(dim, dim_a)
        self.out_b = nn.Linear(dim, dim_b)

    def forward(self, a, b, mask_b=None):
        q, k, v = self.to_q(a), self.to_k(b), self.to_v(b)
        sim = torch.einsum("bid,bjd->bij", q, k) * self.scale
        if mask_b is not None:
            sim = sim.masked_fill(~mask_b[:, None, :], -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)  # NOT
        ctx = torch.einsum("bij,bjd->bid", attn, v)
        back = torch.einsum("bij,bid->bjd", attn, ctx)
        return a + self.out_a(ctx), b + self.out_b(back)


def make():
    torch.manual_seed(18)
    m = BidirectionalCross(12, 16, 10).eval()
    a = torch.randn(2, 5, 12, requires_grad=True)
    b = torch.randn(2, 7, 16, requires_grad=True)
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[1, 4:] = False
    return m, (a, b, mask)
