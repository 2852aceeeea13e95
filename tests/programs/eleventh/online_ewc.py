"""Continual learning with online elastic weight consolidation over a stream of permuted tasks."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHead(nn.Module):
    def __init__(self, n_in, width, classes):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.heads = nn.ModuleDict()
        self.width, self.classes = width, classes

    def add_task(self, name):
        self.heads[name] = nn.Linear(self.width, self.classes)

    def forward(self, x, task):
        return self.heads[task](self.shared(x))


class Consolidation:
    """Running Fisher information and anchor for every shared parameter."""

    def __init__(self, module, strength=50.0, decay=0.9):
        self.module, self.strength, self.decay = module, strength, decay
        self.fisher = {n: torch.zeros_like(p) for n, p in module.named_parameters()}
        self.anchor = {n: p.detach().clone() for n, p in module.named_parameters()}

    def penalty(self):
        total = 0.0
        for n, p in self.module.named_parameters():
            total = total + (self.fisher[n] * (p - self.anchor[n]) ** 2).sum()
        return 0.5 * self.strength * total

    def accumulate(self, logits):
        """One sample of the empirical Fisher under the labels that the model itself predicts."""
        label = torch.distributions.Categorical(logits=logits.detach()).sample()
        names, params = zip(*self.module.named_parameters())
        grads = torch.autograd.grad(F.cross_entropy(logits, label), params, retain_graph=True)
        for n, g in zip(names, grads):
            self.fisher[n].mul_(self.decay).add_(g.pow(2), alpha=1 - self.decay)  # BUG

    @torch.no_grad()
    def move_anchor(self):
        for n, p in self.module.named_parameters():
            self.anchor[n].copy_(p)


class TaskStream:
    def __init__(self, n_tasks, n_in, classes, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.base = torch.randn(n_in, classes, generator=g)
        self.perms = [torch.randperm(n_in, generator=g) for _ in range(n_tasks)]
        self.g = g

    def batches(self, task, n, size=24):
        for _ in range(n):
            x = torch.randn(size, self.base.shape[0], generator=self.g)
            yield x[:, self.perms[task]], (x @ self.base).argmax(1)


class ContinualLearner:
    def __init__(self, model, ewc, lr=0.02):
        self.model, self.ewc, self.lr = model, ewc, lr

    def learn(self, name, batches):
        self.model.add_task(name)
        opt = torch.optim.SGD(self.model.parameters(), lr=self.lr, momentum=0.8)
        for x, y in batches:
            logits = self.model(x, name)
            loss = F.cross_entropy(logits, y) + self.ewc.penalty()
            self.ewc.accumulate(logits)
            opt.zero_grad()
            loss.backward()
            opt.step()
        self.ewc.move_anchor()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
stream = TaskStream(3, 12, 4)
model = MultiHead(12, 20, 4)
learner = ContinualLearner(model, Consolidation(model.shared))
for i in range(3):
    print(learner.learn(f"task{i}", stream.batches(i, 3)))
