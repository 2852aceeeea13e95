"""Distil a teacher's attention maps into a smaller student (masked positions do not count)."""
import math
import types
import torch
import torch.nn as nn
import torch.nn.functional as F


def cfg(**kw):
    return types.SimpleNamespace(**kw)


class MHA(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.o = nn.Linear(dim, dim)
        self.last_attn = None

    def forward(self, x, pad):
        B, T, D = x.shape
        q, k, v = self.qkv(x).reshape(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4).unbind(0)
        s = q @ k.mT / math.sqrt(D // self.h)
        s = s.masked_fill(pad[:, None, None], -1e4)
        self.last_attn = s.softmax(-1)
        return self.o((self.last_attn @ v).transpose(1, 2).reshape(B, T, D))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.att = MHA(c.dim, c.heads)
        self.ln1, self.ln2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.mlp = nn.Sequential(nn.Linear(c.dim, c.dim * 2), nn.GELU(), nn.Linear(c.dim * 2, c.dim))

    def forward(self, x, pad):
        x = x + self.att(self.ln1(x), pad)
        return x + self.mlp(self.ln2(x))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(c.vocab, c.dim, padding_idx=0)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.depth))
        self.cls = nn.Linear(c.dim, c.classes)

    def forward(self, ids):
        pad = ids == 0
        x = self.tok(ids)
        for l in self.layers:
            x = l(x, pad)
        keep = (~pad)[..., None]
        return self.cls((x * keep).sum(1) / keep.sum(1).clamp(min=1))

    def attention_maps(self, pad):
        maps = []
        for l in self.layers:
            a = l.att.last_attn
            a.masked_fill_(pad[:, None, :, None], 0.0)  # BUG
            maps.append(a.mean(1))
        return maps


class Distiller(nn.Module):
    def __init__(self, teacher, student, T=2.0, lam=10.0):
        super().__init__()
        self.teacher = teacher.requires_grad_(False).eval()
        self.student, self.T, self.lam = student, T, lam
        self.pairs = list(zip(range(len(student.layers)),
                              torch.linspace(0, len(teacher.layers) - 1, len(student.layers)).long().tolist()))

    def forward(self, ids, y):
        pad = ids == 0
        with torch.no_grad():
            t_logits = self.teacher(ids)
            t_maps = self.teacher.attention_maps(pad)
        s_logits = self.student(ids)
        s_maps = self.student.attention_maps(pad)
        kd = F.kl_div(F.log_softmax(s_logits / self.T, -1), F.softmax(t_logits / self.T, -1),
                      reduction="batchmean") * self.T ** 2
        at = sum(F.mse_loss(s_maps[i], t_maps[j]) for i, j in self.pairs)
        return F.cross_entropy(s_logits, y) + kd + self.lam * at


# --- driver ---
torch.manual_seed(0)
base = dict(vocab=25, classes=3, heads=2)
d = Distiller(Encoder(cfg(dim=24, depth=4, **base)), Encoder(cfg(dim=12, depth=2, **base)))
opt = torch.optim.Adam(d.student.parameters(), lr=1e-3)
for _ in range(3):
    ids = torch.randint(1, 25, (4, 8))
    ids[torch.arange(8)[None] >= torch.randint(3, 9, (4, 1))] = 0
    loss = d(ids, torch.randint(0, 3, (4,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
