import torch
import torch.nn as nn


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm, self.fn = nn.LayerNorm(dim), fn

    def forward(self, x):
        return self.fn(self.norm(x))


class TokenMix(nn.Module):
    def __init__(self, tokens):
        super().__init__()
        self.fc = nn.Linear(tokens, tokens)

    def forward(self, x):
        return self.fc(x.transpose(1, 2)).transpose(1, 2)


def channel_mlp(dim, mult=2):
    return nn.Sequential(nn.Linear(dim, mult * dim), nn.GELU(), nn.Linear(mult * dim, dim))


class ReversibleBlock(nn.Module):
    def __init__(self, f, g):
        super().__init__()
        self.f, self.g = f, g

    def forward(self, x1, x2):
        x1 = x1 + self.f(x2)
        x2 += self.g(x1)  # BUG
        return x1, x2

    @torch.no_grad()
    def invert(self, y1, y2):
        x2 = y2 - self.g(y1)
        return y1 - self.f(x2), x2


class ReversibleSequence(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x):
        a, b = x.clone(), x.clone()
        for blk in self.blocks:
            a, b = blk(a, b)
        return (a + b) / 2


class PatchEmbed(nn.Module):
    def __init__(self, patch, dim):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, patch, patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class RevMixer(nn.Module):
    def __init__(self, image=8, patch=4, dim=12, depth=2, classes=4):
        super().__init__()
        tokens = (image // patch) ** 2
        self.embed = PatchEmbed(patch, dim)
        self.trunk = ReversibleSequence(
            ReversibleBlock(PreNorm(dim, TokenMix(tokens)), PreNorm(dim, channel_mlp(dim))) for _ in range(depth)
        )
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.norm(self.trunk(self.embed(x))).mean(1))


def param_groups(model, wd):
    decay, plain = [], []
    for name, p in model.named_parameters():
        (plain if p.ndim == 1 or name.endswith("bias") else decay).append(p)
    return [{"params": decay, "weight_decay": wd}, {"params": plain, "weight_decay": 0.0}]


def train_one(model, opt, sched, x, y):
    model.train()
    loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad()
    sched.step()
    return loss.item()


# --- driver ---
torch.manual_seed(25)
m = RevMixer()
o = torch.optim.AdamW(param_groups(m, 0.05), lr=1e-3)
s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 10)
print(train_one(m, o, s, torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,))))
