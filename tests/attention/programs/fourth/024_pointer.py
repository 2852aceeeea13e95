import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.o = nn.Linear(d, d)

    def forward(self, x, memory, pad):
        b, t, d = x.shape
        q = self.q(x).view(b, t, self.h, -1).transpose(1, 2)
        k = self.k(memory).view(b, -1, self.h, d // self.h).transpose(1, 2)
        v = self.v(memory).view(b, -1, self.h, d // self.h).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d // self.h)
        scores = scores.masked_fill(pad[:, None, None, :], float("-inf"))
        attn = F.softmax(scores, dim=-1)  # NOT
        ctx = torch.matmul(attn, v).transpose(1, 2).reshape(b, t, d)
        return self.o(ctx), attn


class PointerGenerator(nn.Module):
    def __init__(self, vocab=20, d=24, h=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.attn = CrossAttention(d, h)
        self.gen = nn.Linear(d, vocab)
        self.gate = nn.Linear(2 * d, 1)

    def forward(self, src, tgt):
        memory, x = self.emb(src), self.emb(tgt)
        ctx, attn = self.attn(x, memory, src == 0)
        p_gen = torch.sigmoid(self.gate(torch.cat([ctx, x], -1)))
        vocab_dist = p_gen * F.softmax(self.gen(ctx), dim=-1)
        copy = (1 - p_gen) * attn.mean(dim=1)
        index = src.unsqueeze(1).expand(-1, tgt.size(1), -1)
        return torch.log(vocab_dist.scatter_add(2, index, copy) + 1e-9)


def make():
    torch.manual_seed(1)
    net = PointerGenerator().eval()
    src = torch.randint(1, 20, (2, 8))
    src[1, 5:] = 0
    return net, (src, torch.randint(1, 20, (2, 5)))
