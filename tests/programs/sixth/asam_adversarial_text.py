import torch
import torch.nn as nn
import torch.nn.functional as F


class Perturbation:
    """Common protocol: attack() moves the weights, restore() puts them back."""

    def __init__(self, model, select=lambda n: True):
        self.named = [(n, p) for n, p in model.named_parameters() if p.requires_grad and select(n)]
        self.saved = {}

    def attack(self):
        raise NotImplementedError

    @torch.no_grad()
    def restore(self):
        for n, p in self.named:
            if n in self.saved:
                p.copy_(self.saved.pop(n))

    def _save(self):
        for n, p in self.named:
            if n not in self.saved:
                self.saved[n] = p.detach().clone()


class FGM(Perturbation):
    def __init__(self, model, eps=0.5):
        super().__init__(model, lambda n: "emb" in n)
        self.eps = eps

    @torch.no_grad()
    def attack(self):
        self._save()
        for _, p in self.named:
            norm = p.grad.norm()
            if norm > 0:
                p.add_(p.grad / norm, alpha=self.eps)


class ASAM(Perturbation):
    def __init__(self, model, rho=0.5, eta=0.01):
        super().__init__(model)
        self.rho, self.eta = rho, eta

    @torch.no_grad()
    def attack(self):
        self._save()
        terms = []
        for _, p in self.named:
            t = p.abs().add_(self.eta) if p.dim() > 1 else torch.ones_like(p)
            terms.append((p, t, t * p.grad))
        norm = torch.stack([w.norm() for _, _, w in terms]).norm().add_(1e-12)
        for p, t, w in terms:
            p.addcmul_(t, w.div_(norm), value=self.rho)


class FastText(nn.Module):
    def __init__(self, vocab, dim, n_cls):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.fc1, self.fc2 = nn.Linear(dim, dim), nn.Linear(dim, n_cls)

    def forward(self, ids):
        mask = ids.ne(0).float().unsqueeze(-1)
        e = self.emb(ids) * mask
        pooled = e.sum(1)
        pooled /= mask.sum(1).clamp_(min=1)
        return self.fc2(self.fc1(pooled).tanh_())


class Trainer:
    def __init__(self, model, perturbation, opt, grads="replace"):
        self.model, self.pert, self.opt, self.mode = model, perturbation, opt, grads
        self.history = torch.zeros(0)

    def loss(self, ids, y):
        return F.cross_entropy(self.model(ids), y)

    def step(self, ids, y):
        self.opt.zero_grad()
        clean = self.loss(ids, y)
        clean.backward()
        self.pert.attack()
        if self.mode == "replace":
            for p in self.model.parameters():
                p.grad.zero_()
        hard = self.loss(ids, y)
        hard.backward()
        self.pert.restore()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.opt.step()
        self.history = torch.cat([self.history, torch.stack([clean.detach(), hard.detach()])])


def word_dropout(ids, p, unk=1):
    out = ids.clone()
    out[(torch.rand(ids.shape) < p) & ids.ne(0)] = unk
    return out


# --- driver ---
torch.manual_seed(0)
ids, y = torch.randint(2, 20, (4, 6)), torch.randint(0, 3, (4,))
ids[:, 4:] = 0
for cls, mode in ((FGM, "accumulate"), (ASAM, "replace")):
    net = FastText(20, 6, 3)
    trainer = Trainer(net, cls(net), torch.optim.SGD(net.parameters(), lr=0.1), mode)
    trainer.step(word_dropout(ids, 0.1), y)
    trainer.step(word_dropout(ids, 0.1), y)
