"""Soft tokens: feed back the expectation of the embedding under the predicted distribution (GS / scheduled sampling)."""
import torch
import torch.nn.functional as F
from torch import nn


class SoftDecoder(nn.Module):
    def __init__(self, vocab=12, dim=10, hidden=14, tau=0.7):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, hidden)
        self.logits = nn.Linear(hidden, vocab)
        self.tau = tau
        self.bos = nn.Parameter(torch.randn(dim) * 0.1)

    def soft_lookup(self, logits):
        probs = F.softmax(logits / self.tau, dim=-1)  # NOT
        return torch.matmul(probs, self.embed.weight)

    def forward(self, h, steps, forbidden=None):
        x = self.bos.expand(h.size(0), -1)
        outs = []
        for _ in range(steps):
            h = self.cell(x, h)
            scores = self.logits(h)
            if forbidden is not None:
                scores = scores.masked_fill(forbidden, float("-inf"))
            outs.append(scores)
            x = self.soft_lookup(scores)
        return torch.stack(outs, 1), x


class DistributionalValue(nn.Module):
    """C51 value head: softmax over atoms, expectation with the support."""

    def __init__(self, dim, actions=3, atoms=7):
        super().__init__()
        self.fc = nn.Linear(dim, actions * atoms)
        self.shape = (actions, atoms)
        self.register_buffer("support", torch.linspace(-1, 1, atoms))

    def forward(self, x):
        dist = self.fc(x).unflatten(-1, self.shape).softmax(dim=-1)
        return dist @ self.support


# --- driver ---
def main():
    torch.manual_seed(0)
    dec, val = SoftDecoder(), DistributionalValue(10)
    h0 = torch.randn(2, 14, requires_grad=True)
    forbidden = torch.zeros(12, dtype=torch.bool)
    forbidden[:2] = True
    logits, last = dec(h0, 4, forbidden)
    value = val(last)
    (logits[..., 2:].pow(2).mean() + value.pow(2).sum()).backward()
    grads = [p.grad for m in (dec, val) for p in m.parameters()]
    return [logits[..., 2:], last, value, h0.grad] + grads


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
