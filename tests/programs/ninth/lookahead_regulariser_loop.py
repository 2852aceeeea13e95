from collections import defaultdict

import torch
from torch.optim import Optimizer


class SlowFast(Optimizer):
    """Wraps an optimizer; every k steps the weights are drawn towards their slow copies."""

    def __init__(self, base, k=2, alpha=0.5):
        self.base, self.k, self.alpha = base, k, alpha
        self.param_groups = base.param_groups
        self.state = defaultdict(dict)
        self.defaults = base.defaults
        self.counter = 0
        for p in self._params():
            self.state[p]["slow"] = p.detach().clone()

    def _params(self):
        for group in self.param_groups:
            yield from group["params"]

    def zero_grad(self, set_to_none=True):
        self.base.zero_grad(set_to_none)

    @torch.no_grad()
    def sync(self):
        for p in self._params():
            slow = self.state[p]["slow"]
            slow.lerp_(p, self.alpha)
            p.copy_(slow)  # BUG

    def step(self, closure=None):
        self.base.step(closure)
        self.counter += 1

    @property
    def due(self):
        return self.counter > 0 and self.counter % self.k == 0


class CharCNN(torch.nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.emb = torch.nn.Embedding(vocab, dim)
        self.convs = torch.nn.ModuleList(torch.nn.Conv1d(dim, dim, w, padding="same") for w in (3, 5))
        self.out = torch.nn.Linear(2 * dim, classes)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        pooled = [torch.relu(c(x)).amax(-1) for c in self.convs]
        return self.out(torch.cat(pooled, 1))


def rdrop(a, b):
    pa, pb = a.log_softmax(-1), b.log_softmax(-1)
    kl = torch.nn.functional.kl_div
    return 0.5 * (kl(pa, pb, log_target=True, reduction="batchmean") + kl(pb, pa, log_target=True, reduction="batchmean"))


class Loop:
    def __init__(self, model, opt):
        self.model, self.opt = model, opt
        self.seen = 0

    def noisy(self, ids, p=0.1):
        drop = torch.rand(ids.shape) < p
        return ids.masked_fill(drop, 0)

    def run(self, batches):
        for ids, y in batches:
            logits = self.model(ids)
            if self.opt.due:
                self.opt.sync()
            other = self.model(self.noisy(ids))
            ce = torch.nn.functional.cross_entropy
            loss = ce(logits, y) + ce(other, y) + rdrop(logits, other)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.seen += len(ids)


# --- driver ---
torch.manual_seed(24)
model = CharCNN(12, 6, 3)
opt = SlowFast(torch.optim.SGD(model.parameters(), lr=0.1), k=1)
data = [(torch.randint(0, 12, (4, 8)), torch.randint(0, 3, (4,))) for _ in range(2)]
Loop(model, opt).run(data)
