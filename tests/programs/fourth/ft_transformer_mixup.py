import math
from typing import Optional

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class QuantileScaler:
    def __init__(self, n=16):
        self.n = n

    def fit(self, x: np.ndarray):
        self.edges = np.quantile(x, np.linspace(0, 1, self.n), axis=0)
        return self

    def transform(self, x):
        out = np.empty_like(x)
        for j in range(x.shape[1]):
            out[:, j] = np.interp(x[:, j], self.edges[:, j], np.linspace(0, 1, self.n))
        out *= 2
        out -= 1
        return out


class Tokeniser(nn.Module):
    def __init__(self, n_num, cards, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_num, dim))
        self.bias = nn.Parameter(torch.empty(n_num + len(cards), dim))
        self.cls = nn.Parameter(torch.empty(1, dim))
        self.register_buffer("offsets", torch.tensor([0] + cards[:-1]).cumsum_(0))
        self.emb = nn.Embedding(sum(cards), dim)
        for p in (self.weight, self.bias, self.cls, self.emb.weight):
            nn.init.uniform_(p, -1 / math.sqrt(dim), 1 / math.sqrt(dim))

    def forward(self, num: Tensor, cat: Tensor, missing: Optional[Tensor] = None):
        b = len(num)
        n_num = self.weight.shape[0]
        tokens = num.new_empty(b, 1 + self.bias.shape[0], self.weight.shape[1])
        tokens[:, 0] = self.cls
        tokens[:, 1:1 + n_num] = num.unsqueeze(-1) * self.weight
        tokens[:, 1 + n_num:] = self.emb(cat + self.offsets)
        tokens[:, 1:] += self.bias
        if missing is not None:
            tokens[:, 1:1 + n_num].masked_fill_(missing.unsqueeze(-1), 0.0)
        return tokens


class ReGLUBlock(nn.Module):
    def __init__(self, dim, heads, p):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.heads, self.p = heads, p
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(2 * dim, dim)

    def attend(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        h = F.scaled_dot_product_attention(q, k, v)
        return self.out(h.transpose(1, 2).reshape(b, n, d))

    def forward(self, x):
        h = self.attend(self.n1(x))
        h += x
        a, g = self.up(self.n2(h)).chunk(2, -1)
        y = self.down(a * F.relu(g))
        return F.dropout(y, self.p, self.training).add_(h)


class FTTransformer(nn.Module):
    def __init__(self, n_num, cards, dim=8, depth=2, heads=2, out=3, p=0.1):
        super().__init__()
        self.tok = Tokeniser(n_num, cards, dim)
        self.blocks = nn.Sequential(*(ReGLUBlock(dim, heads, p) for _ in range(depth)))
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.ReLU(inplace=True), nn.Linear(dim, out))

    def forward(self, num, cat, missing=None):
        return self.head(self.blocks(self.tok(num, cat, missing))[:, 0])


def mixup(num, target, alpha=0.2):
    lam = float(np.random.beta(alpha, alpha))
    perm = torch.randperm(len(num))
    num = num * lam
    num.add_(num[perm] / max(lam, 1e-6), alpha=1 - lam)
    soft = target * lam
    soft += target[perm] * (1 - lam)
    return num, soft


def train(model, num, cat, label, steps, classes=3, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-5)
    for _ in range(steps):
        target = torch.zeros(len(label), classes).scatter_(1, label[:, None], 1.0)
        x, soft = mixup(num, target)
        missing = torch.rand_like(x) < 0.1
        x.masked_fill_(missing, 0.0)
        logp = model(x, cat, missing).log_softmax(-1)
        loss = -(soft * logp).sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0); np.random.seed(0)
raw = np.random.randn(12, 4).astype(np.float32)
num = torch.from_numpy(QuantileScaler().fit(raw).transform(raw))
cat = torch.stack([torch.randint(0, 3, (12,)), torch.randint(0, 5, (12,))], 1)
train(FTTransformer(4, [3, 5]), num, cat, torch.randint(0, 3, (12,)), 2)
