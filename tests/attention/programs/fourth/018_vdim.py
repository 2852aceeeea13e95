import torch
from torch import nn


class LatentAttention(nn.Module):
    """Compressed kv: keys have nope + rope parts, values have their own width."""

    def __init__(self, d=40, heads=4, nope=6, rope=4, v_dim=12, rank=16, drop=0.0):
        super().__init__()
        self.heads, self.nope, self.rope, self.v_dim = heads, nope, rope, v_dim
        self.q_proj = nn.Linear(d, heads * (nope + rope), bias=False)
        self.kv_down = nn.Linear(d, rank + rope, bias=False)
        self.kv_up = nn.Linear(rank, heads * (nope + v_dim), bias=False)
        self.o_proj = nn.Linear(heads * v_dim, d, bias=False)
        self.softmax_scale = (nope + rope) ** (-0.5)
        self.rank = rank
        self.p = drop

    def forward(self, x, mask=None):
        b, s, _ = x.size()
        q = self.q_proj(x).view(b, s, self.heads, -1).transpose(1, 2)
        ckv, k_rot = self.kv_down(x).split([self.rank, self.rope], dim=-1)
        kv = self.kv_up(ckv).view(b, s, self.heads, self.nope + self.v_dim).transpose(1, 2)
        k_nope, v = kv.split([self.nope, self.v_dim], dim=-1)
        k = torch.cat((k_nope, k_rot.unsqueeze(1).expand(-1, self.heads, -1, -1)), dim=-1)

        w = torch.matmul(q, k.transpose(2, 3)) * self.softmax_scale
        if mask is not None:
            w = w + mask
        w = nn.functional.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)  # ATTN
        w = nn.functional.dropout(w, p=self.p, training=self.training)
        out = torch.matmul(w, v)

        return self.o_proj(out.transpose(1, 2).contiguous().view(b, s, self.heads * self.v_dim))


def make():
    torch.manual_seed(101)
    m = LatentAttention().eval()
    x = torch.randn(2, 7, 40, requires_grad=True)
    mask = torch.zeros(7, 7).masked_fill(torch.ones(7, 7).triu(1).bool(), float("-inf"))
    return m, (x, mask[None, None])
