"""Prosodic phrase tagger with a memory saving activation written as autograd Function."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class SigmoidGate(Function):
    """y = a * sigmoid(b); keeps b's gate instead of recomputing it."""

    @staticmethod
    def forward(ctx, a, b):
        gate = torch.sigmoid(b)
        ctx.save_for_backward(a, gate)
        return a * gate, gate

    @staticmethod
    @once_differentiable
    def backward(ctx, gy, ggate):
        a, gate = ctx.saved_tensors
        db = (gy * a + ggate) * gate * (1 - gate)
        return gy * gate, db


class GatedConv(nn.Module):
    def __init__(self, ch, k=3):
        super().__init__()
        self.value, self.gate = nn.Conv1d(ch, ch, k, padding=k // 2), nn.Conv1d(ch, ch, k, padding=k // 2)

    def forward(self, x):
        return SigmoidGate.apply(self.value(x), self.gate(x))


class SparsityMeter:
    """Collects mean gate openness over the valid frames for an L1-like penalty."""

    def __init__(self, valid):
        self.valid = valid.unsqueeze(1)
        self.terms = []

    def add(self, gate):
        gate *= self.valid  # BUG
        self.terms.append(gate.sum() / (self.valid.sum() * gate.shape[1]))

    def total(self):
        return torch.stack(self.terms).mean()


class Tagger(nn.Module):
    def __init__(self, vocab, tags, ch=12, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, ch)
        self.convs = nn.ModuleList(GatedConv(ch) for _ in range(depth))
        self.out = nn.Conv1d(ch, tags, 1)

    def forward(self, ids, valid):
        x = self.emb(ids).transpose(1, 2)
        meter = SparsityMeter(valid)
        for conv in self.convs:
            y, gate = conv(x)
            meter.add(gate)
            x = x + y
        logits = self.out(x)
        return logits, meter.total()


def masked_ce(logits, tags, valid):
    nll = F.cross_entropy(logits, tags, reduction="none")
    nll.masked_fill_(~valid, 0.0)
    return nll.sum() / valid.sum()


def run(model, stream, l1=0.05):
    opt = torch.optim.Adam(model.parameters(), 3e-3)
    for ids, tags, lengths in stream:
        valid = torch.arange(ids.shape[1])[None] < lengths[:, None]
        logits, openness = model(ids, valid)
        loss = masked_ce(logits, tags, valid) + l1 * openness
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


# --- driver ---
torch.manual_seed(47)
run(Tagger(30, 4), [(torch.randint(0, 30, (3, 7)), torch.randint(0, 4, (3, 7)), torch.tensor([7, 5, 3])) for _ in range(3)])
