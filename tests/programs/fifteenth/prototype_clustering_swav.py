"""Swapped-prediction clustering (SwAV-like) with unit-norm prototypes."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class PrototypeNet(nn.Module):
    def __init__(self, d_in, dim, n_proto, width=32):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d_in, width), nn.ReLU(), nn.Linear(width, dim))
        self.prototypes = nn.Linear(dim, n_proto, bias=False)

    def forward(self, x):
        z = F.normalize(self.encoder(x), dim=1)
        return z, self.prototypes(z)

    def prototype_table(self):
        return self.prototypes.weight.detach().cpu().numpy()


@torch.no_grad()
def sinkhorn(scores, eps=0.05, iters=3):
    q = torch.exp((scores - scores.max()) / eps).t()
    q /= q.sum()
    k, b = q.shape
    for _ in range(iters):
        q /= q.sum(1, keepdim=True)
        q /= k
        q /= q.sum(0, keepdim=True)
        q /= b
    q *= b
    return q.t()


def swapped_loss(scores_a, scores_b, temperature=0.1):
    total = 0.0
    for s, t in ((scores_a, scores_b), (scores_b, scores_a)):
        code = sinkhorn(t.detach())
        total = total - (code * F.log_softmax(s / temperature, 1)).sum(1).mean()
    return total / 2


class ClusterMonitor:
    """Usage of each prototype and the geometry of the table."""

    def __init__(self, n_proto):
        self.counts = np.zeros(n_proto, dtype=np.int64)
        self.coherence = []

    def observe(self, assign, table):
        np.add.at(self.counts, assign.numpy(), 1)
        norms = np.sqrt((table ** 2).sum(axis=1, keepdims=True))
        table /= norms  # BUG silent
        gram = table @ table.T
        self.coherence.append(float(np.abs(gram - np.eye(len(gram))).max()))

    def summary(self):
        used = int((self.counts > 0).sum())
        return f"used {used}/{len(self.counts)} coherence {self.coherence[-1]:.3f}"


def augment(x, sigma=0.2):
    return x + sigma * torch.randn_like(x)


def fit(net, data, steps, batch=12, lr=0.05):
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    monitor = ClusterMonitor(net.prototypes.out_features)
    for step in range(steps):
        x = data[torch.randperm(len(data))[:batch]]
        _, sa = net(augment(x))
        _, sb = net(augment(x))
        loss = swapped_loss(sa, sb)
        monitor.observe(sa.argmax(1), net.prototype_table())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, f"{loss.item():.4f}", monitor.summary())


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    fit(PrototypeNet(8, 6, 5), torch.randn(60, 8), steps=3)
