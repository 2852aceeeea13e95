import contextlib
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Episode:
    def __init__(self, xs, ys, xq, yq):
        self.support, self.query = (xs, ys), (xq, yq)


class EpisodeSampler:
    def __init__(self, data, n_way, k_shot, n_query):
        self.data, self.n, self.k, self.q = data, n_way, k_shot, n_query

    def __call__(self):
        classes = random.sample(range(len(self.data)), self.n)
        dim = self.data.shape[-1]
        xs, xq = torch.empty(self.n, self.k, dim), torch.empty(self.n, self.q, dim)
        for i, c in enumerate(classes):
            perm = torch.randperm(self.data.shape[1])
            xs[i] = self.data[c, perm[: self.k]]
            xq[i] = self.data[c, perm[self.k : self.k + self.q]]
        ys = torch.arange(self.n).repeat_interleave(self.k)
        yq = torch.arange(self.n).repeat_interleave(self.q)
        return Episode(xs.flatten(0, 1), ys, xq.flatten(0, 1), yq)


class Embedder(nn.Module):
    def __init__(self, d_in, dim, n_way):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d_in, dim), nn.Linear(dim, dim)
        self.bn = nn.BatchNorm1d(dim, track_running_stats=False)
        self.head = nn.Linear(dim, n_way)

    def forward(self, x):
        h = self.bn(self.fc1(x)).relu_()
        r = self.fc2(h)
        r += h
        return self.head(r)


@contextlib.contextmanager
def scratch_weights(model):
    saved = [p.detach().clone() for p in model.parameters()]
    try:
        yield
    finally:
        with torch.no_grad():
            for p, s in zip(model.parameters(), saved):
                p.copy_(s)


class FOMAML:
    def __init__(self, model, inner_lr=0.1, outer_lr=1e-2, inner_steps=2):
        self.model = model
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.opt = torch.optim.Adam(model.parameters(), lr=outer_lr)
        self.inner_scale = {n: torch.ones(()) for n, _ in model.named_parameters()}

    def inner_update(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        grads = torch.autograd.grad(loss, list(self.model.parameters()))
        with torch.no_grad():
            for (n, p), g in zip(self.model.named_parameters(), grads):
                g.clamp_(-1, 1)
                p.sub_(g * self.inner_scale[n], alpha=self.inner_lr)
        return loss.item()

    def task_gradient(self, ep):
        with scratch_weights(self.model):
            for _ in range(self.inner_steps):
                self.inner_update(*ep.support)
            xq, yq = ep.query
            logits = self.model(xq)
            loss = F.cross_entropy(logits, yq)
            grads = torch.autograd.grad(loss, list(self.model.parameters()))
        return grads, (logits.argmax(1) == yq).float().mean()

    def meta_step(self, episodes):
        total = [torch.zeros_like(p) for p in self.model.parameters()]
        acc = torch.zeros(())
        for ep in episodes:
            grads, a = self.task_gradient(ep)
            torch._foreach_add_(total, list(grads))
            acc += a
        for p, g in zip(self.model.parameters(), total):
            p.grad = g.div_(len(episodes))
        self.opt.step()
        return acc.div_(len(episodes)).item()


def prototypes(x, y, n):
    out = torch.zeros(n, x.shape[1]).index_add_(0, y, x)
    return out.div_(torch.bincount(y, minlength=n).clamp_(min=1).unsqueeze(1))


# --- driver ---
torch.manual_seed(0)
random.seed(0)
data = torch.randn(6, 8, 5) + torch.randn(6, 1, 5) * 3
algo, draw = FOMAML(Embedder(5, 8, 3)), EpisodeSampler(data, 3, 2, 3)
for _ in range(2):
    algo.meta_step([draw(), draw()])
prototypes(data.flatten(0, 1), torch.arange(6).repeat_interleave(8), 6)
