"""Detection decoder: object queries read the image memory.  Everything is (len, batch, dim)."""
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def with_pos_embed(tensor: Tensor, pos: Optional[Tensor]) -> Tensor:
    return tensor if pos is None else tensor + pos


class ReadMemory(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query: Tensor, key: Tensor, value: Tensor,
                key_padding_mask: Optional[Tensor] = None) -> Tensor:
        tgt_len, bsz, embed_dim = query.shape
        src_len = key.shape[0]
        E = embed_dim
        w, b = self.in_proj_weight, self.in_proj_bias
        q = F.linear(query, w[:E], b[:E])
        k = F.linear(key, w[E:2 * E], b[E:2 * E])
        v = F.linear(value, w[2 * E:], b[2 * E:])

        q = q * float(self.head_dim) ** -0.5
        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(src_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(src_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)

        weights = torch.bmm(q, k.transpose(1, 2))
        if key_padding_mask is not None:
            weights = weights.view(bsz, self.num_heads, tgt_len, src_len)
            weights = weights.masked_fill(key_padding_mask.unsqueeze(1).unsqueeze(2), float("-inf"))
            weights = weights.view(bsz * self.num_heads, tgt_len, src_len)
        weights = F.softmax(weights, dim=-1)  # ATTN
        weights = F.dropout(weights, p=self.dropout, training=self.training)
        out = torch.bmm(weights, v)
        out = out.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(out)


class QueryDecoderLayer(nn.Module):
    def __init__(self, d_model=32, nhead=4, dim_ff=40):
        super().__init__()
        self.cross = ReadMemory(d_model, nhead, dropout=0.1)
        self.lin1 = nn.Linear(d_model, dim_ff)
        self.lin2 = nn.Linear(dim_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.box = nn.Linear(d_model, 4)

    def forward(self, tgt, memory, pad=None, pos=None, query_pos=None):
        upd = self.cross(query=with_pos_embed(tgt, query_pos),
                         key=with_pos_embed(memory, pos),
                         value=memory, key_padding_mask=pad)
        tgt = self.norm1(tgt + upd)
        tgt = self.norm2(tgt + self.lin2(F.relu(self.lin1(tgt))))
        return self.box(tgt).sigmoid()


# --- driver ---
torch.manual_seed(6)
dec = QueryDecoderLayer().eval().double()
RESULTS = []
for hw, use_pad in ((15, True), (10, False)):
    tgt = torch.randn(6, 2, 32).double().requires_grad_()
    mem = torch.randn(hw, 2, 32).double().requires_grad_()
    pos = torch.randn(hw, 1, 32).double()
    qpos = torch.randn(6, 1, 32).double().requires_grad_()
    pad = None
    if use_pad:
        pad = torch.zeros(2, hw, dtype=torch.bool)
        pad[1, -5:] = True
    dec.zero_grad()
    boxes = dec(tgt, mem, pad, pos, qpos)
    boxes.log().sum().backward()
    RESULTS += [boxes.detach(), tgt.grad, mem.grad, qpos.grad]
    RESULTS += [p.grad.clone() for p in dec.parameters()]
