import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def lengths_to_mask(lengths, n):
    return torch.arange(n)[None, :] < lengths[:, None]


class EncDecAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.dh = dim // heads
        self.q_lin = nn.Linear(dim, dim)
        self.k_lin = nn.Linear(dim, dim)
        self.v_lin = nn.Linear(dim, dim)
        self.out_lin = nn.Linear(dim, dim)

    def forward(self, x, kv, mask):
        bs, qlen, dim = x.size()

        def shape(t):
            return t.view(bs, -1, self.heads, self.dh).transpose(1, 2)

        q = shape(self.q_lin(x)) / math.sqrt(self.dh)
        k = shape(self.k_lin(kv))
        v = shape(self.v_lin(kv))
        scores = torch.matmul(q, k.transpose(2, 3))
        mask = (mask == 0).view(bs, 1, 1, -1).expand_as(scores)
        scores = scores.masked_fill(mask, -1e4)
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)  # NOT
        context = torch.matmul(weights, v)
        return self.out_lin(context.transpose(1, 2).contiguous().view(bs, qlen, dim))


class Fusion(nn.Module):
    def __init__(self, dim=20, heads=2):
        super().__init__()
        self.text_attn = EncDecAttention(dim, heads)
        self.norm = nn.LayerNorm(dim)

    def forward(self, image, text, text_lengths):
        mask = lengths_to_mask(text_lengths, text.size(1))
        return self.norm(image + self.text_attn(image, text, mask))


def make():
    torch.manual_seed(16)
    net = Fusion().eval()
    image = torch.randn(3, 4, 20, requires_grad=True)
    text = torch.randn(3, 6, 20, requires_grad=True)
    return net, (image, text, torch.tensor([6, 0, 3]))
