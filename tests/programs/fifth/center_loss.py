"""Center loss with numpy prototypes (float32), tracked outside of the graph."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class PrototypeTracker:
    def __init__(self, classes, dim, momentum=0.9):
        self.proto = np.zeros((classes, dim), dtype=np.float32)
        self.count = np.zeros(classes, dtype=np.int64)
        self.momentum = momentum

    def update(self, feats, labels):
        f = feats.detach().cpu().numpy()
        y = labels.cpu().numpy()
        f /= np.linalg.norm(f, axis=1, keepdims=True) + 1e-8  # BUG silent
        for c in np.unique(y):
            m = f[y == c].mean(0)
            if self.count[c] == 0:
                self.proto[c] = m
            else:
                self.proto[c] *= self.momentum
                self.proto[c] += (1 - self.momentum) * m
            self.count[c] += int((y == c).sum())

    def spread(self):
        seen = self.proto[self.count > 0]
        return float(np.linalg.norm(seen - seen.mean(0), axis=1).mean())


class CenterLoss(nn.Module):
    def __init__(self, classes, dim, weight=0.1):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, dim))
        self.weight = weight

    def forward(self, feats, labels):
        d = feats - self.centers.index_select(0, labels)
        return self.weight * d.pow(2).sum(1).mean()


class Embedder(nn.Module):
    def __init__(self, d_in, dim, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, 32), nn.BatchNorm1d(32), nn.ReLU(inplace=True), nn.Linear(32, dim))
        self.cls = nn.Linear(dim, classes, bias=False)

    def forward(self, x):
        f = self.body(x)
        return f, self.cls(f)


def train_epoch(model, center, tracker, loader, opt):
    model.train()
    stats = {'loss': 0.0, 'n': 0}
    for x, y in loader:
        feats, logits = model(x)
        loss = F.cross_entropy(logits, y) + center(feats, y)
        tracker.update(feats, y)
        opt.zero_grad()
        loss.backward()
        for p in center.parameters():
            p.grad.mul_(1.0 / center.weight)
        opt.step()
        stats['loss'] += loss.item() * len(y)
        stats['n'] += len(y)
    return stats['loss'] / stats['n'], tracker.spread()


# --- driver ---
torch.manual_seed(0)
net, cl, tr = Embedder(10, 4, 3), CenterLoss(3, 4), PrototypeTracker(3, 4)
opt = torch.optim.SGD([{'params': net.parameters()}, {'params': cl.parameters(), 'lr': 0.5}], lr=0.05)
train_epoch(net, cl, tr, [(torch.randn(8, 10), torch.randint(0, 3, (8,)))], opt)
