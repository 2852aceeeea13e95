"""Low rank adapters with on-the-fly merging for fast generation probes."""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, fin, fout, rank=2, alpha=4):
        super().__init__(fin, fout)
        self.weight.requires_grad_(False)
        self.bias.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, fin) * 0.3)
        self.B = nn.Parameter(torch.randn(fout, rank) * 0.3)
        self.scaling = alpha / rank
        self.merged = False

    def delta(self):
        return (self.B @ self.A) * self.scaling

    def merge(self):
        if not self.merged:
            self.weight.data.add_(self.delta().detach())  # BUG silent
            self.merged = True

    def unmerge(self):
        if self.merged:
            with torch.no_grad():
                self.weight -= self.delta()
            self.merged = False

    def forward(self, x):
        out = F.linear(x, self.weight, self.bias)
        if self.merged:
            return out
        return out + F.linear(F.linear(x, self.A), self.B) * self.scaling


class Backbone(nn.Module):
    def __init__(self, vocab=20, dim=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.fc1 = LoRALinear(dim, 16)
        self.fc2 = LoRALinear(16, vocab)

    def forward(self, ids):
        return self.fc2(torch.tanh(self.fc1(self.emb(ids))))

    def adapters(self):
        return [m for m in self.modules() if isinstance(m, LoRALinear)]


@torch.no_grad()
def sample(model, start, steps):
    seq = [start]
    for m in model.adapters():
        m.merge()
    for _ in range(steps):
        seq.append(model(seq[-1]).argmax(-1))
    return torch.stack(seq, -1)


def finetune(model, batches, probe, lr=1e-2, probe_every=1):
    trainable = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(trainable, lr=lr)
    log = []
    for i, (ids, nxt) in enumerate(batches):
        for m in model.adapters():
            m.unmerge()
        loss = F.cross_entropy(model(ids), nxt)
        if i % probe_every == 0:
            log.append(sample(model, probe, 3).tolist())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return log


# --- driver ---
torch.manual_seed(5)
lm = Backbone()
data = [(torch.randint(0, 20, (6,)), torch.randint(0, 20, (6,)))]
finetune(lm, data, torch.tensor([1, 2]))
