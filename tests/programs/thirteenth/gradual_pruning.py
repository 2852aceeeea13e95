import torch
from torch import nn
import torch.nn.functional as F


class SparsitySchedule:
    """Cubic ramp of Zhu & Gupta."""

    def __init__(self, final, start, end, every=1):
        self.final, self.start, self.end, self.every = final, start, end, every

    def __call__(self, step):
        frac = min(max((step - self.start) / (self.end - self.start), 0.0), 1.0)
        return self.final * (1 - (1 - frac) ** 3)

    def due(self, step):
        return self.start <= step <= self.end and step % self.every == 0


class Pruner:
    def __init__(self, model, schedule, skip=()):
        self.schedule = schedule
        self.targets = {n: p for n, p in model.named_parameters() if p.dim() > 1 and n not in skip}
        self.masks = {n: torch.ones_like(p) for n, p in self.targets.items()}
        self.clock = 0

    def tick(self):
        if self.schedule.due(self.clock):
            self.rank(self.schedule(self.clock))
            self.impose()
        self.clock += 1

    @torch.no_grad()
    def rank(self, sparsity):
        for n, p in self.targets.items():
            k = int(sparsity * p.numel())
            if k:
                thr = p.abs().flatten().kthvalue(k).values
                self.masks[n] = (p.abs() > thr).to(p.dtype)

    def impose(self):
        for n, p in self.targets.items():
            p.data.mul_(self.masks[n])  # BUG silent

    def density(self):
        alive = sum(int(m.sum()) for m in self.masks.values())
        return alive / sum(m.numel() for m in self.masks.values())


class KeywordCNN(nn.Module):
    def __init__(self, n_mfcc=10, classes=5):
        super().__init__()
        self.c1 = nn.Conv1d(n_mfcc, 24, 5, stride=2, padding=2)
        self.c2 = nn.Conv1d(24, 24, 3, padding=1)
        self.fc1 = nn.Linear(24, 32)
        self.fc2 = nn.Linear(32, classes)

    def forward(self, x):
        h = F.relu(self.c1(x))
        h = F.relu(self.c2(h))
        return self.fc2(F.relu(self.fc1(h.mean(-1))))


class SparseTrainer:
    def __init__(self, model, pruner, lr):
        self.model, self.pruner = model, pruner
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.seen = 0

    def compute_loss(self, batch):
        x, y = batch
        loss = F.cross_entropy(self.model(x), y)
        self.seen += len(y)
        self.pruner.tick()
        return loss

    def fit(self, batches):
        for batch in batches:
            self.opt.zero_grad()
            loss = self.compute_loss(batch)
            loss.backward()
            self.opt.step()
            yield loss.item(), self.pruner.density()


# --- driver ---
torch.manual_seed(0)
model = KeywordCNN()
pruner = Pruner(model, SparsitySchedule(0.8, start=1, end=5), skip=("fc2.weight",))
batches = [(torch.randn(8, 10, 30), torch.randint(0, 5, (8,))) for _ in range(6)]
for loss, dens in SparseTrainer(model, pruner, 0.05).fit(batches):
    print(f"{loss:.4f} density {dens:.2f}")
