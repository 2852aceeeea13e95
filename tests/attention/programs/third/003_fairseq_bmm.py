"""fairseq-like MultiheadAttention, (T, B, C) layout, heads flattened into the batch."""
from typing import Dict, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, kdim=None, vdim=None, dropout=0.0, bias=True,
                 self_attention=False, encoder_decoder_attention=False):
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.self_attention = self_attention
        self.encoder_decoder_attention = encoder_decoder_attention
        self.k_proj = nn.Linear(self.kdim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(self.vdim, embed_dim, bias=bias)
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query: Tensor, key: Optional[Tensor], value: Optional[Tensor],
                key_padding_mask: Optional[Tensor] = None, need_weights: bool = False,
                attn_mask: Optional[Tensor] = None) -> Tuple[Tensor, Optional[Tensor]]:
        tgt_len, bsz, embed_dim = query.size()
        if self.self_attention:
            q, k, v = self.q_proj(query), self.k_proj(query), self.v_proj(query)
        else:
            assert key is not None and value is not None
            q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q *= self.scaling

        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        src_len = k.size(1)

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        assert list(attn_weights.size()) == [bsz * self.num_heads, tgt_len, src_len]

        if attn_mask is not None:
            attn_mask = attn_mask.unsqueeze(0)
            attn_weights += attn_mask

        if key_padding_mask is not None:
            # don't attend to padding symbols
            attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
            attn_weights = attn_weights.masked_fill(
                key_padding_mask.unsqueeze(1).unsqueeze(2).to(torch.bool), float("-inf")
            )
            attn_weights = attn_weights.view(bsz * self.num_heads, tgt_len, src_len)

        attn_weights_float = F.softmax(attn_weights, dim=-1, dtype=torch.float32)  # ATTN
        attn_weights = attn_weights_float.type_as(attn_weights)
        attn_probs = F.dropout(attn_weights, p=self.dropout, training=self.training)

        attn = torch.bmm(attn_probs, v)
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        attn = self.out_proj(attn)
        weights: Optional[Tensor] = None
        if need_weights:
            weights = attn_weights_float.view(bsz, self.num_heads, tgt_len, src_len).transpose(1, 0)
        return attn, weights


class DecoderLayer(nn.Module):
    def __init__(self, args: Dict):
        super().__init__()
        d, h = args["d"], args["h"]
        self.self_attn = MultiheadAttention(d, h, dropout=0.1, self_attention=True)
        self.encoder_attn = MultiheadAttention(d, h, kdim=args["enc"], vdim=args["enc"],
                                               dropout=0.1, encoder_decoder_attention=True)
        self.fc = nn.Linear(d, d)

    def forward(self, x, enc, enc_pad, tgt_mask):
        y, _ = self.self_attn(x, None, None, attn_mask=tgt_mask)
        x = x + y
        y, _ = self.encoder_attn(x, enc, enc, key_padding_mask=enc_pad)
        return self.fc(torch.relu(x + y)) + x


# --- driver ---
def main():
    torch.manual_seed(0)
    layer = DecoderLayer({"d": 16, "h": 4, "enc": 12}).eval()
    x = torch.randn(5, 2, 16, requires_grad=True)
    enc = torch.randn(7, 2, 12, requires_grad=True)
    pad = torch.zeros(2, 7, dtype=torch.bool)
    pad[1, 5:] = True
    future = torch.triu(torch.full((5, 5), float("-inf")), 1)
    out = layer(x, enc, pad, future)
    out.pow(2).mean().backward()
    return [out, x.grad, enc.grad] + [p.grad for p in layer.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
