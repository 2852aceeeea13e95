import torch
import torch.nn as nn
import torch.nn.functional as F


class FakeQuant(nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, x):
        y = torch.round(x.float() / self.step) * self.step
        return x + (y - x).detach()


class QATSelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.score_fq = FakeQuant(0.125)
        self.prob_fq = FakeQuant(1.0 / 255)

    def _heads(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        q, k, v = self._heads(self.q(x)), self._heads(self.k(x)), self._heads(self.v(x))
        scores = self.score_fq(torch.matmul(q, k.transpose(-1, -2)) / self.head_dim ** 0.5)
        if attention_mask is not None:
            scores = scores + attention_mask
        probs = F.softmax(scores, dim=-1)  # NOT
        probs = self.prob_fq(probs)
        ctx = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        return self.o(ctx.view(x.size(0), x.size(1), -1))


def make():
    torch.manual_seed(21)
    m = QATSelfAttention(24, 4).train()
    mask = torch.zeros(2, 1, 1, 7)
    mask[0, ..., 5:] = -1e4
    return m, (torch.randn(2, 7, 24, requires_grad=True), mask)
