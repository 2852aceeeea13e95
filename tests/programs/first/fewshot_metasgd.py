"""Meta-SGD few-shot classification with learned per-parameter step sizes."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class ConvEmbed(nn.Module):
    def __init__(self, n_way, ch=8):
        super().__init__()
        self.c1 = nn.Conv2d(1, ch, 3, 2, 1)
        self.c2 = nn.Conv2d(ch, ch, 3, 2, 1)
        self.head = nn.Linear(ch, n_way)

    def forward(self, x):
        x = F.relu(self.c1(x), inplace=True)
        x = F.relu(self.c2(x), inplace=True)
        return self.head(x.mean(dim=(2, 3)))


class Episode:
    def __init__(self, n_way, k_shot, n_query, size=12):
        proto = torch.randn(n_way, 1, size, size)
        self.support = self._draw(proto, k_shot)
        self.query = self._draw(proto, n_query)

    @staticmethod
    def _draw(proto, k):
        n = proto.size(0)
        x = proto.repeat_interleave(k, 0)
        x += 0.3 * torch.randn_like(x)
        y = torch.arange(n).repeat_interleave(k)
        return x, y


class MetaSGD(nn.Module):
    def __init__(self, model, init_lr=0.05):
        super().__init__()
        self.model = model
        self.lrs = nn.ParameterDict({n.replace('.', '_'): nn.Parameter(torch.full_like(p, init_lr))
                                     for n, p in model.named_parameters()})

    def reset_head(self):
        with torch.no_grad():
            self.model.head.weight.zero_()
            self.model.head.bias.zero_()

    def inner(self, support, steps):
        x, y = support
        fast = dict(self.model.named_parameters())
        for _ in range(steps):
            loss = F.cross_entropy(functional_call(self.model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, tuple(fast.values()), create_graph=True)
            fast = {n: w - self.lrs[n.replace('.', '_')] * g for (n, w), g in zip(fast.items(), grads)}
        return fast

    def forward(self, episode, steps=2):
        fast = self.inner(episode.support, steps)
        xq, yq = episode.query
        logits = functional_call(self.model, fast, (xq,))
        return F.cross_entropy(logits, yq), (logits.argmax(1) == yq).float().mean()


class MetaTrainer:
    def __init__(self, meta, lr=1e-3, max_inner_lr=0.2):
        self.meta, self.max_inner_lr = meta, max_inner_lr
        self.opt = torch.optim.Adam(meta.parameters(), lr=lr)

    def project(self):
        with torch.no_grad():
            for lr in self.meta.lrs.values():
                lr.clamp_(0.0, self.max_inner_lr)

    def step(self, episodes):
        self.opt.zero_grad()
        accs = []
        for ep in episodes:
            loss, acc = self.meta(ep)
            (loss / len(episodes)).backward()
            accs.append(acc)
        self.opt.step()
        self.project()
        return torch.stack(accs).mean().item()


# --- driver ---
meta = MetaSGD(ConvEmbed(3))
meta.reset_head()
trainer = MetaTrainer(meta)
for _ in range(2):
    print(trainer.step([Episode(3, 2, 3) for _ in range(2)]))
