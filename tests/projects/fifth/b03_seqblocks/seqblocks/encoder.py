import math

import torch
from torch import nn

from .attention import MultiHeadedAttention, RelPositionMultiHeadedAttention


def make_pad_mask(lengths, maxlen):
    r = torch.arange(maxlen, device=lengths.device)
    return r.unsqueeze(0) < lengths.unsqueeze(1)


def sinusoid(maxlen, dim):
    pe = torch.zeros(maxlen, dim)
    pos = torch.arange(maxlen, dtype=torch.float).unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * -(math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


class EncoderLayer(nn.Module):
    def __init__(self, size, self_attn, ff_mult=2):
        super().__init__()
        self.self_attn = self_attn
        self.ff = nn.Sequential(nn.Linear(size, size * ff_mult), nn.ReLU(True), nn.Linear(size * ff_mult, size))
        self.norm1 = nn.LayerNorm(size)
        self.norm2 = nn.LayerNorm(size)

    def forward(self, x, mask, *extra):
        y = self.norm1(x)
        x = x + self.self_attn(y, y, y, *extra, mask=mask)
        return x + self.ff(self.norm2(x))


class Encoder(nn.Module):
    """``forward(xs, ilens)``: padded batch (B, T, idim) and its lengths (or None).

    selfattention_layer_type: "selfattn" or "rel_selfattn"
    """

    def __init__(self, idim, adim=16, heads=2, blocks=2, selfattention_layer_type="rel_selfattn"):
        super().__init__()
        self.embed = nn.Linear(idim, adim)
        self.rel = selfattention_layer_type == "rel_selfattn"
        cls = RelPositionMultiHeadedAttention if self.rel else MultiHeadedAttention
        self.encoders = nn.ModuleList(EncoderLayer(adim, cls(heads, adim)) for _ in range(blocks))
        self.after_norm = nn.LayerNorm(adim)

    def forward(self, xs, ilens=None):
        x = self.embed(xs)
        pe = sinusoid(x.size(1), x.size(2)).to(x)
        extra = (pe.unsqueeze(0),) if self.rel else ()
        if not self.rel:
            x += pe
        mask = None if ilens is None else make_pad_mask(ilens, x.size(1)).unsqueeze(1)
        for layer in self.encoders:
            x = layer(x, mask, *extra)
        return self.after_norm(x)
