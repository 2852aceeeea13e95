"""Windowed + global token encoder for contracts (dense reference implementation)."""
import torch
import torch.nn as nn


class WindowMaskMixin:
    """Expects self.window (one-sided)."""

    def band(self, n, device=None):
        i = torch.arange(n, device=device)
        return (i[:, None] - i[None, :]).abs() <= self.window

    def allowed(self, n, is_global=None):
        ok = self.band(n).unsqueeze(0)
        if is_global is not None:
            ok = ok | is_global.unsqueeze(1) | is_global.unsqueeze(2)
        return ok.unsqueeze(1)


class HeadsMixin:
    def split_heads(self, x):
        n, l, _ = x.shape
        return x.contiguous().view(n, l, self.h, self.d_k).permute(0, 2, 1, 3)

    def join_heads(self, x):
        return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), self.h * self.d_k)

    def attend(self, q, k, v, ok):
        att = torch.einsum('nhqd,nhkd->nhqk', [q, k]) / (self.d_k ** (1 / 2))
        att = att.masked_fill(ok.logical_not(), float('-1e20'))
        att = torch.softmax(att, dim=3)  # ATTN
        return torch.einsum('nhql,nhld->nhqd', [att, v])


class LongDocAttention(HeadsMixin, WindowMaskMixin, nn.Module):
    def __init__(self, d_model, h, window):
        super().__init__()
        self.h, self.d_k, self.window = h, d_model // h, window
        self.fused = nn.Linear(d_model, 3 * d_model)
        self.fc_out = nn.Linear(d_model, d_model)

    def forward(self, x, is_global=None):
        q, k, v = [self.split_heads(t) for t in self.fused(x).split(x.size(-1), dim=-1)]
        ctx = self.attend(q, k, v, self.allowed(x.size(1), is_global))
        return self.fc_out(self.join_heads(ctx))


class ClauseTagger(nn.Module):
    def __init__(self, vocab=35, d=16, h=2, windows=(1, 3), tags=4, sep=1):
        super().__init__()
        self.sep = sep
        self.emb = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(LongDocAttention(d, h, w) for w in windows)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in windows)
        self.tag = nn.Linear(d, tags)

    def forward(self, ids, use_global=True):
        g = (ids == self.sep) if use_global else None
        x = self.emb(ids)
        for layer, norm in zip(self.layers, self.norms):
            x = norm(x + layer(x, g))
        return self.tag(x)


# --- driver ---
torch.manual_seed(48)
tagger = ClauseTagger().double().eval()
RESULTS = []
for n, use_global in ((14, True), (9, False)):
    ids = torch.randint(2, 35, (2, n))
    ids[:, ::6] = 1
    tagger.zero_grad()
    out = tagger(ids, use_global)
    nn.functional.cross_entropy(out.transpose(1, 2), ids % 4).backward()
    RESULTS.append(out.detach())
    RESULTS += [p.grad.clone() for p in tagger.parameters()]
