"""Multi-label music tagging with a running metric tracker inside the training step."""
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F


class MelStem(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.bn = nn.BatchNorm2d(1)
        self.convs = nn.ModuleList()
        for a, b in ((1, ch), (ch, ch * 2)):
            self.convs.append(nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ELU(inplace=True),
                                            nn.MaxPool2d(2)))

    def forward(self, mel):
        x = self.bn(mel.unsqueeze(1))
        for c in self.convs:
            x = c(x)
        return x.mean(dim=(2, 3))


class Tagger(nn.Module):
    def __init__(self, n_tags, ch=8):
        super().__init__()
        self.stem = MelStem(ch)
        self.head = nn.Sequential(nn.Linear(ch * 2, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, n_tags))

    def forward(self, mel):
        return torch.sigmoid(self.head(self.stem(mel)))


class FocalBCE(nn.Module):
    def __init__(self, gamma=2.0, alpha=0.25, eps=1e-6):
        super().__init__()
        self.gamma, self.alpha, self.eps = gamma, alpha, eps

    def forward(self, p, y):
        pos = -self.alpha * (1 - p) ** self.gamma * (p + self.eps).log() * y
        neg = -(1 - self.alpha) * p ** self.gamma * (1 - p + self.eps).log() * (1 - y)
        return (pos + neg).sum(1).mean()


class TagMetrics:
    def __init__(self, top_k=3):
        self.top_k = top_k
        self.sums = defaultdict(float)
        self.n = 0

    def binarize(self, scores):
        kth = scores.topk(self.top_k, dim=1).values[:, -1:]
        keep = scores >= kth
        scores[~keep] = 0.0  # BUG
        return (scores > 0).float()

    def update(self, probs, targets):
        hard = self.binarize(probs.detach())
        tp = (hard * targets).sum(1)
        self.sums['precision'] += (tp / self.top_k).mean().item()
        self.sums['recall'] += (tp / targets.sum(1).clamp(min=1)).mean().item()
        self.n += 1

    def compute(self):
        return {k: v / max(self.n, 1) for k, v in self.sums.items()}


class LitTagger:
    def __init__(self, n_tags=10, lr=1e-3):
        self.model, self.criterion, self.metrics = Tagger(n_tags), FocalBCE(), TagMetrics()
        self.optim = torch.optim.Adam(self.model.parameters(), lr=lr)

    def training_step(self, batch):
        mel, tags = batch
        probs = self.model(mel)
        loss = self.criterion(probs, tags)
        self.metrics.update(probs, tags)
        return loss

    def fit(self, loader):
        self.model.train()
        for batch in loader:
            loss = self.training_step(batch)
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()
        return self.metrics.compute()


# --- driver ---
lit = LitTagger()
loader = [(torch.randn(4, 16, 24), (torch.rand(4, 10) > 0.7).float()) for _ in range(2)]
print(lit.fit(loader))
