"""Sharpness-aware minimisation with lookahead slow weights."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_cls, rho=0.05, adaptive=False, **kw):
        super().__init__(params, dict(rho=rho, adaptive=adaptive, **kw))
        self.base = base_cls(self.param_groups, **kw)

    @torch.no_grad()
    def _grad_norm(self):
        norms = []
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is not None:
                    w = p.abs() if g['adaptive'] else 1.0
                    norms.append((w * p.grad).norm())
        return torch.stack(norms).norm()

    @torch.no_grad()
    def ascend(self):
        norm = self._grad_norm()
        for g in self.param_groups:
            scale = g['rho'] / (norm + 1e-12)
            for p in g['params']:
                if p.grad is None:
                    continue
                e = p.grad * scale
                if g['adaptive']:
                    e.mul_(p.pow(2))
                p.add_(e)
                self.state[p]['e'] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for g in self.param_groups:
            for p in g['params']:
                if 'e' in self.state[p]:
                    p.sub_(self.state[p].pop('e'))
        self.base.step()
        self.zero_grad()


class Lookahead:
    def __init__(self, params, k=2, alpha=0.5):
        self.params, self.k, self.alpha, self.t = list(params), k, alpha, 0
        self.slow = [p.detach().clone() for p in self.params]

    @torch.no_grad()
    def step(self):
        self.t += 1
        if self.t % self.k:
            return
        for s, p in zip(self.slow, self.params):
            s.add_(p - s, alpha=self.alpha)
            p.copy_(s)


class MixerBlock(nn.Module):
    def __init__(self, n_tok, dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tok = nn.Sequential(nn.Linear(n_tok, n_tok * 2), nn.GELU(), nn.Linear(n_tok * 2, n_tok))
        self.ch = nn.Sequential(nn.Linear(dim, dim * 2), nn.GELU(), nn.Linear(dim * 2, dim))

    def forward(self, x):
        x = x + self.tok(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.ch(self.n2(x))


class Mixer(nn.Module):
    def __init__(self, patch=4, size=16, dim=12, depth=2, n_classes=4):
        super().__init__()
        self.embed = nn.Conv2d(3, dim, patch, patch)
        self.blocks = nn.Sequential(*[MixerBlock((size // patch) ** 2, dim) for _ in range(depth)])
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        t = self.embed(x).flatten(2).transpose(1, 2)
        return self.head(self.blocks(t).mean(1))


def freeze_bn_stats(model, flag):
    for m in model.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.track_running_stats = not flag


class SAMTrainer:
    def __init__(self, model, rho=0.05, lr=0.05):
        self.model = model
        self.opt = SAM(model.parameters(), torch.optim.SGD, rho=rho, lr=lr, momentum=0.9)
        self.look = Lookahead(model.parameters())

    def step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.opt.ascend()
        freeze_bn_stats(self.model, True)
        F.cross_entropy(self.model(x), y).backward()
        freeze_bn_stats(self.model, False)
        self.opt.descend()
        self.look.step()
        return loss.item()


# --- driver ---
tr = SAMTrainer(Mixer())
for _ in range(3):
    print(tr.step(torch.randn(4, 3, 16, 16), torch.randint(0, 4, (4,))))
