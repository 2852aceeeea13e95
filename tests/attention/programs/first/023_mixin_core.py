import torch
import torch.nn as nn


class AttentionCoreMixin:
    """Expects ``self.n_heads`` and ``self.drop``; inputs are (batch, time, features)."""

    n_heads: int
    drop: nn.Module

    def _fold(self, t):
        b, n, f = t.shape
        return t.reshape(b, n, self.n_heads, f // self.n_heads).movedim(2, 1)

    def _unfold(self, t):
        return t.movedim(1, 2).flatten(2)

    def attend(self, q, k, v, ignore=None):
        q, k, v = (self._fold(t) for t in (q, k, v))
        logits = q.matmul(k.transpose(3, 2)).div(q.shape[-1] ** 0.5)
        if ignore is not None:
            logits.masked_fill_(ignore[:, None, None], float("-inf"))
        return self._unfold(self.drop(logits.softmax(3)).matmul(v))  # ATTN


class FFMixin:
    def build_ff(self, dim):
        self.ff_norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.Mish(), nn.Linear(2 * dim, dim))

    def feed(self, x):
        return x + self.ff(self.ff_norm(x))


class EncoderBlock(AttentionCoreMixin, FFMixin, nn.Module):
    def __init__(self, dim, n_heads, p=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.drop = nn.Dropout(p)
        self.norm = nn.LayerNorm(dim)
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)
        self.build_ff(dim)

    def forward(self, x, pad=None):
        q, k, v = self.in_proj(self.norm(x)).tensor_split(3, dim=-1)
        x = x + self.out_proj(self.attend(q, k, v, ignore=pad))
        return self.feed(x)


class ReadoutBlock(AttentionCoreMixin, nn.Module):
    """A handful of task tokens reading the encoder states; keys are the raw states."""

    def __init__(self, dim, n_tasks):
        super().__init__()
        self.n_heads = 1
        self.drop = nn.Identity()
        self.tasks = nn.Parameter(torch.randn(n_tasks, dim))

    def forward(self, states, pad=None):
        q = self.tasks.expand(states.size(0), *self.tasks.shape)
        return self.attend(q, states, states, pad)


class MultiTask(nn.Module):
    def __init__(self, dim=20, heads=4, n_tasks=5):
        super().__init__()
        self.enc = nn.ModuleList([EncoderBlock(dim, heads), EncoderBlock(dim, heads)])
        self.read = ReadoutBlock(dim, n_tasks)

    def forward(self, x, pad=None):
        for blk in self.enc:
            x = blk(x, pad)
        return self.read(x, pad)


# --- driver ---
torch.manual_seed(23)
net = MultiTask().double().eval()
RESULTS = []
for n, pad in ((10, None), (7, torch.arange(7)[None] >= torch.tensor([[7], [3], [5]]))):
    net.zero_grad()
    x = torch.randn(3, n, 20, dtype=torch.float64, requires_grad=True)
    y = net(x, pad)
    y.erf().sum().backward()
    RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in net.parameters()]
