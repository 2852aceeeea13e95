import torch
import torch.nn as nn
import torch.nn.functional as F


class Schedule:
    """Cubic sparsity ramp."""

    def __init__(self, final, begin, end):
        self.final, self.begin, self.end = final, begin, end

    def __call__(self, step):
        if step < self.begin:
            return 0.0
        frac = min(1.0, (step - self.begin) / max(1, self.end - self.begin))
        return self.final * (1 - (1 - frac) ** 3)


class Pruner:
    def __init__(self, model, schedule, skip=("head",)):
        self.schedule = schedule
        self.targets = {n: p for n, p in model.named_parameters() if p.dim() > 1 and not n.startswith(skip)}
        self.masks = {n: torch.ones_like(p) for n, p in self.targets.items()}
        self.count = 0

    def refresh(self):
        sparsity = self.schedule(self.count)
        for name, p in self.targets.items():
            k = int(sparsity * p.numel())
            mask = self.masks[name].fill_(1.0)
            if k:
                drop = p.detach().abs().flatten().argsort()[:k]
                mask.view(-1)[drop] = 0.0
        self.count += 1

    def apply(self):
        for name, p in self.targets.items():
            p.data.mul_(self.masks[name])  # BUG silent

    @property
    def density(self):
        kept = sum(m.sum() for m in self.masks.values())
        return float(kept / sum(m.numel() for m in self.masks.values()))


class SpeechNet(nn.Module):
    def __init__(self, mels=8, hidden=12, classes=5):
        super().__init__()
        self.front = nn.Conv1d(mels, hidden, 3, stride=2, padding=1)
        self.mid = nn.ModuleList(nn.Conv1d(hidden, hidden, 3, padding=1) for _ in range(2))
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        x = F.gelu(self.front(x))
        for conv in self.mid:
            x = x + F.gelu(conv(x))
        return self.head(x).log_softmax(-1) if x.dim() == 2 else self.head(x.transpose(1, 2)).log_softmax(-1)


def ctc(logp, target, target_len):
    t = torch.full((logp.shape[0],), logp.shape[1], dtype=torch.long)
    return F.ctc_loss(logp.transpose(0, 1), target, t, target_len, zero_infinity=True)


class Trainer:
    def __init__(self, model, pruner, lr=0.05):
        self.model, self.pruner = model, pruner
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.log = []

    def _report(self, loss):
        self.pruner.refresh()
        self.pruner.apply()
        self.log.append({"loss": loss.item(), "density": self.pruner.density})

    def step(self, feats, target, lengths):
        self.opt.zero_grad()
        feats = feats.sub_(feats.mean((0, 2), keepdim=True))
        loss = ctc(self.model(feats), target, lengths)
        self._report(loss)
        loss.backward()
        self.opt.step()


# --- driver ---
torch.manual_seed(0)
model = SpeechNet()
trainer = Trainer(model, Pruner(model, Schedule(0.6, 0, 1)))
for _ in range(2):
    trainer.step(torch.randn(3, 8, 16), torch.randint(1, 5, (3, 2)), torch.full((3,), 2))
