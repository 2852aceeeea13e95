import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        B, S, D = x.shape
        d = D // self.heads
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q = q.view(B, S, self.heads, d).transpose(1, 2)
        k = k.view(B, S, self.heads, d).transpose(1, 2)
        v = v.view(B, S, self.heads, d).transpose(1, 2)
        scores = torch.matmul(k, q.transpose(-2, -1)) / math.sqrt(d)
        weights = F.softmax(scores, dim=-1)  # NOT
        out = torch.matmul(weights.transpose(-2, -1), v)
        out = out.transpose(1, 2).reshape(B, S, D)
        return self.fc(out)


class Net(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.inp = nn.Linear(5, dim)
        self.attn = MultiHead(dim, 3)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, 2)

    def forward(self, x):
        h = torch.tanh(self.inp(x))
        h = self.norm(h + self.attn(h))
        return self.out(h)


def make():
    torch.manual_seed(17)
    net = Net()
    net.train()
    return net, (torch.randn(4, 6, 5, requires_grad=True),)
