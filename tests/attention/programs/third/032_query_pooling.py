"""Pooling by one learned query: a text classifier with HAN-style attention pooling and gated MIL pooling."""
import torch
import torch.nn as nn


class AttentivePooling(nn.Module):
    """Yang et al. 2016: u = tanh(Wh + b), alpha = softmax(u . u_w), s = sum alpha h."""

    def __init__(self, dim, attn_dim):
        super().__init__()
        self.W = nn.Linear(dim, attn_dim)
        self.context = nn.Parameter(torch.randn(attn_dim))

    def forward(self, h, mask=None):
        u = torch.tanh(self.W(h))
        scores = u @ self.context
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        alpha = torch.softmax(scores, dim=1)  # NOT
        return (alpha.unsqueeze(-1) * h).sum(dim=1), alpha


class GatedMIL(nn.Module):
    def __init__(self, dim, attn_dim):
        super().__init__()
        self.V = nn.Sequential(nn.Linear(dim, attn_dim), nn.Tanh())
        self.U = nn.Sequential(nn.Linear(dim, attn_dim), nn.Sigmoid())
        self.w = nn.Linear(attn_dim, 1)

    def forward(self, bag):
        a = self.w(self.V(bag) * self.U(bag)).transpose(-2, -1)  # b 1 n
        a = nn.functional.softmax(a, dim=-1)
        return torch.bmm(a, bag).squeeze(1)


class HAN(nn.Module):
    def __init__(self, vocab=15, dim=10, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)
        self.words = AttentivePooling(dim, 6)
        self.sents = GatedMIL(dim, 6)
        self.out = nn.Linear(dim, classes)

    def forward(self, docs):
        b, s, w = docs.shape
        flat = docs.reshape(b * s, w)
        h, _ = self.rnn(self.emb(flat))
        sent, alpha = self.words(h, flat.ne(0))
        doc = self.sents(sent.view(b, s, -1))
        return self.out(doc), alpha.view(b, s, w)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = HAN().eval()
    docs = torch.randint(1, 15, (2, 3, 5))
    docs[0, :, 4] = 0
    logits, alpha = net(docs)
    nn.functional.cross_entropy(logits, torch.tensor([2, 0])).backward()
    return [logits, alpha] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
