"""Adversarial training on the embedding table (FGM) for intent classification, with several ascent passes."""
import torch
from torch import nn
import torch.nn.functional as F


class Attack:
    """Interface: attack() moves parameters, restore() brings them back."""

    def __init__(self, model, match="emb"):
        self.targets = {n: p for n, p in model.named_parameters() if match in n and p.requires_grad}
        self.saved = {}

    def attack(self):
        raise NotImplementedError

    @torch.no_grad()
    def restore(self):
        for n, old in self.saved.items():
            self.targets[n].copy_(old)
        self.saved = {}


class FGM(Attack):
    def __init__(self, model, eps=0.5, **kw):
        super().__init__(model, **kw)
        self.eps = eps

    @torch.no_grad()
    def attack(self):
        for n, p in self.targets.items():
            size = p.grad.norm()
            if size > 0:
                self.saved[n] = p.detach().clone()
                p.add_(p.grad, alpha=self.eps / size.item())


class Repeated(Attack):
    """Small steps, projected to a ball round the clean table."""

    def __init__(self, model, eps=0.5, step=0.2, **kw):
        super().__init__(model, **kw)
        self.eps, self.step = eps, step

    @torch.no_grad()
    def attack(self):
        for n, p in self.targets.items():
            if n not in self.saved:
                self.saved[n] = p.detach().clone()
            size = p.grad.norm().clamp_min(1e-8)
            p.add_(self.step * p.grad / size)
            delta = p - self.saved[n]
            if delta.norm() > self.eps:
                p.copy_(self.saved[n] + delta * (self.eps / delta.norm()))


class IntentNet(nn.Module):
    def __init__(self, vocab=60, dim=16, intents=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, intents)

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        mask = (ids != 0).unsqueeze(-1)
        h = h.masked_fill(~mask, float("-inf")).amax(1)
        return self.out(h)


def train_step(model, opt, attack, ids, y, rounds=1):
    opt.zero_grad()
    clean = F.cross_entropy(model(ids), y)
    clean.backward()
    for _ in range(rounds):
        attack.attack()
        adv = F.cross_entropy(model(ids), y)
        adv.backward()
    attack.restore()
    for p in model.parameters():
        p.grad.div_(rounds + 1)
    opt.step()
    return clean.item(), adv.item()


# --- driver ---
torch.manual_seed(0)
net = IntentNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for attack, rounds in ((FGM(net), 1), (Repeated(net), 3)):
    ids = torch.randint(1, 60, (10, 6))
    ids[::3, 4:] = 0
    print(train_step(net, opt, attack, ids, ids[:, 0] % 4, rounds))
