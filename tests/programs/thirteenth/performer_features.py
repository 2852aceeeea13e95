# FAVOR+ attention; all layers draw from one feature map.
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class OrthogonalFeatures(nn.Module):
    def __init__(self, head_dim, n_features):
        super().__init__()
        self.n_features, self.head_dim = n_features, head_dim
        self.register_buffer("omega", torch.empty(n_features, head_dim))
        self.redraw()

    @torch.no_grad()
    def redraw(self):
        nn.init.orthogonal_(self.omega, gain=math.sqrt(self.head_dim))  # BUG

    def forward(self, x, is_query):
        x = x * x.shape[-1] ** -0.25
        proj = torch.einsum("bhtd,md->bhtm", x, self.omega)
        norm = x.square().sum(-1, keepdim=True) / 2
        stab = proj.detach().amax(-1 if is_query else (-1, -2), keepdim=True)
        return torch.exp(proj - norm - stab) / math.sqrt(self.n_features) + 1e-4


class LinearAttention(nn.Module):
    def __init__(self, dim, heads, features):
        super().__init__()
        self.heads = heads
        self.features = features
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def split(self, z):
        return z.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q, k, v = map(self.split, self.to_qkv(x).chunk(3, -1))
        if self.training and torch.rand(()) < self.redraw_p:
            self.features.redraw()
        q, k = self.features(q, True), self.features(k, False)
        kv = torch.einsum("bhtm,bhtd->bhmd", k, v)
        z = torch.einsum("bhtm,bhm->bht", q, k.sum(2)).reciprocal()
        out = torch.einsum("bhtm,bhmd,bht->bhtd", q, kv, z)
        return self.to_out(out.transpose(1, 2).flatten(2))

    redraw_p = 0.8


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm, self.fn = nn.LayerNorm(dim), fn

    def forward(self, x):
        return self.fn(self.norm(x)) + x


class Performer(nn.Module):
    def __init__(self, vocab, dim=16, heads=2, depth=3, n_features=12, classes=4):
        super().__init__()
        feats = OrthogonalFeatures(dim // heads, n_features)
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.Sequential(*[
            nn.Sequential(PreNorm(dim, LinearAttention(dim, heads, feats)),
                          PreNorm(dim, nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))))
            for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.head(self.layers(self.emb(ids)).amax(1))


def listops_like(n, t, vocab, classes):
    ids = torch.randint(0, vocab, (n, t))
    return ids, ids.float().mean(1).mul_(classes / vocab).long().clamp_(0, classes - 1)


# --- driver ---
torch.manual_seed(0)
model = Performer(20)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 5e-3, total_steps=4)
for _ in range(4):
    ids, y = listops_like(4, 24, 20, 4)
    loss = F.cross_entropy(model(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    print(loss.item(), sched.get_last_lr()[0])
