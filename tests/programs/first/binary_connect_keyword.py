"""BinaryConnect training for keyword spotting: binary weights in forward, real weights in the optimiser."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class KeywordNet(nn.Module):
    def __init__(self, n_mels=16, n_words=6, ch=12):
        super().__init__()
        self.conv1 = nn.Conv1d(n_mels, ch, 5, padding=2)
        self.bn1 = nn.BatchNorm1d(ch)
        self.conv2 = nn.Conv1d(ch, ch, 5, padding=2)
        self.bn2 = nn.BatchNorm1d(ch)
        self.fc = nn.Linear(ch, n_words)

    def forward(self, mel):
        x = F.hardtanh(self.bn1(self.conv1(mel)))
        x = F.max_pool1d(x, 2)
        x = F.hardtanh(self.bn2(self.conv2(x)))
        return self.fc(x.mean(-1))


class BinaryConnect:
    """Swaps the weights of conv/linear layers for their scaled signs."""

    def __init__(self, model, skip=()):
        self.targets = [m.weight for n, m in model.named_modules()
                        if isinstance(m, (nn.Conv1d, nn.Linear)) and n not in skip]
        self.shadow = [p.detach().clone() for p in self.targets]

    def binarize(self):
        for p, s in zip(self.targets, self.shadow):
            s.copy_(p.data)
            scale = p.data.abs().mean()
            p.data.copy_(torch.sign(p.data) * scale)

    def restore(self):
        for p, s in zip(self.targets, self.shadow):
            p.data.copy_(s)  # BUG silent

    def clip(self):
        for p in self.targets:
            p.data.clamp_(-1, 1)


class Meter:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def add(self, v, k):
        self.total += v * k
        self.n += k

    @property
    def mean(self):
        return self.total / max(1, self.n)


class QuantTrainer:
    def __init__(self, model, lr=1e-2, epochs=2):
        self.model = model
        self.bc = BinaryConnect(model, skip=('fc',))
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)

    def compute_loss(self, mel, word):
        self.bc.binarize()
        loss = F.cross_entropy(self.model(mel), word)
        self.bc.restore()
        return loss

    def train_epoch(self, loader):
        meter = Meter()
        self.model.train()
        for mel, word in loader:
            loss = self.compute_loss(mel, word)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.bc.clip()
            meter.add(loss.item(), word.numel())
        self.sched.step()
        return meter.mean

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        self.bc.binarize()
        hits = [(self.model(m).argmax(1) == w).float().mean().item() for m, w in loader]
        self.bc.restore()
        return sum(hits) / len(hits)


# --- driver ---
data = [(torch.randn(4, 16, 20), torch.randint(0, 6, (4,))) for _ in range(2)]
t = QuantTrainer(KeywordNet())
print(t.train_epoch(data), t.evaluate(data))
