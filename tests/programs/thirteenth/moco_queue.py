import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class QueueMixin:
    """Gives a module a FIFO of past keys."""

    def init_queue(self, dim, size):
        q = F.normalize(torch.randn(dim, size), dim=0)
        self.register_buffer("queue", q)
        self.register_buffer("ptr", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def enqueue(self, keys):
        n, start = keys.shape[0], int(self.ptr)
        size = self.queue.shape[1]
        assert size % n == 0
        self.queue[:, start:start + n] = keys.t()  # BUG
        self.ptr.fill_((start + n) % size)


class MoCo(nn.Module, QueueMixin):
    def __init__(self, encoder, dim=16, size=64, m=0.99, T=0.2):
        super().__init__()
        self.q_enc = encoder
        self.k_enc = copy.deepcopy(encoder).requires_grad_(False)
        self.m, self.T = m, T
        self.init_queue(dim, size)

    @torch.no_grad()
    def momentum_update(self):
        for pq, pk in zip(self.q_enc.parameters(), self.k_enc.parameters()):
            pk.mul_(self.m).add_(pq, alpha=1 - self.m)

    def forward(self, view_q, view_k):
        q = F.normalize(self.q_enc(view_q), dim=1)
        with torch.no_grad():
            self.momentum_update()
            k = F.normalize(self.k_enc(view_k), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue
        logits = torch.cat([pos, neg], dim=1) / self.T
        labels = logits.new_zeros(len(q), dtype=torch.long)
        return logits, labels, k


class ContrastiveTrainer:
    def __init__(self, model, lr=0.03):
        self.model = model
        self.opt = torch.optim.SGD(model.q_enc.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
        self.history = []

    def run_batch(self, x):
        a, b = self.augment(x), self.augment(x)
        logits, labels, keys = self.model(a, b)
        loss = F.cross_entropy(logits, labels)
        self.model.enqueue(keys)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.history.append((loss.item(), self.top1(logits)))

    @staticmethod
    def top1(logits):
        return (logits.argmax(1) == 0).float().mean().item()

    @staticmethod
    def augment(x):
        x = x + 0.1 * torch.randn_like(x)
        if torch.rand(()) < 0.5:
            x = x.flip(-1)
        return x


# --- driver ---
torch.manual_seed(7)
enc = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 16))
trainer = ContrastiveTrainer(MoCo(enc))
for _ in range(4):
    trainer.run_batch(torch.rand(16, 3, 12, 12))
print(trainer.history)
