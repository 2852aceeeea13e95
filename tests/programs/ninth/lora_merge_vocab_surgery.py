from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(rank, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.A, a=5 ** 0.5)
        self.scale = alpha / rank
        self.merged = False

    def delta(self):
        return self.B @ self.A * self.scale

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.base.weight.add_(self.delta())
            self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight.sub_(self.delta())
            self.merged = False

    def forward(self, x):
        y = self.base(x)
        if not self.merged:
            y += F.linear(F.linear(x, self.A), self.B) * self.scale
        return y


def inject(model, names, **kw):
    for path in names:
        parent, _, leaf = path.rpartition(".")
        owner = model.get_submodule(parent)
        setattr(owner, leaf, LoRALinear(getattr(owner, leaf), **kw))
    return [m for m in model.modules() if isinstance(m, LoRALinear)]


@contextmanager
def merged(adapters):
    for a in adapters:
        a.merge()
    try:
        yield
    finally:
        for a in adapters:
            a.unmerge()


def grow_embedding(old, n_new):
    new = nn.Embedding(old.num_embeddings + n_new, old.embedding_dim)
    with torch.no_grad():
        new.weight[: old.num_embeddings].copy_(old.weight)
        mean = old.weight.mean(0)
        new.weight[old.num_embeddings:] = mean
        new.weight[old.num_embeddings:].add_(torch.randn(n_new, old.embedding_dim), alpha=0.02)
    return new


def only_rows(weight, first):
    def hook(g):
        g = g.clone()
        g[:first] = 0
        return g
    return weight.register_hook(hook)


class Encoder(nn.Module):
    def __init__(self, vocab=12, d=8, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.q, self.k, self.v = (nn.Linear(d, d) for _ in range(3))
        self.ff = nn.Linear(d, d)
        self.head = nn.Linear(d, classes)

    def forward(self, ids):
        pad = ids.eq(0)
        x = self.emb(ids)
        s = self.q(x) @ self.k(x).transpose(1, 2)
        s.masked_fill_(pad[:, None], -1e4)
        h = x + s.softmax(-1) @ self.v(x)
        h = h + self.ff(h).relu_()
        h = h.masked_fill(pad[..., None], 0)
        return self.head(h.sum(1) / (~pad).sum(1, keepdim=True))


@torch.no_grad()
def svd_prune(adapter, keep):
    u, s, vt = torch.linalg.svd(adapter.delta(), full_matrices=False)
    s[keep:] = 0
    r = adapter.A.size(0)
    adapter.B.copy_(u[:, :r] * s[:r].sqrt()).div_(adapter.scale)
    adapter.A.copy_(s[:r].sqrt()[:, None] * vt[:r])


def tune(model, adapters, batches, first_new):
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2, weight_decay=0.0)
    only_rows(model.emb.weight, first_new)
    for ids, y in batches:
        loss = F.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with merged(adapters), torch.no_grad():
            print(loss.item(), model(ids).argmax(1).tolist())


# --- driver ---
torch.manual_seed(25)
model = Encoder()
model.emb = grow_embedding(model.emb, 3)
adapters = inject(model, ["q", "v", "ff"])
tune(model, adapters, [(torch.randint(1, 15, (4, 6)), torch.randint(0, 3, (4,))) for _ in range(2)], 12)
svd_prune(adapters[0], 1)
