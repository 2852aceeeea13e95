"""Hierarchical document classifier: words -> sentences -> document."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ContextPool(nn.Module):
    """Weights every position by its match with a trained context vector."""

    def __init__(self, dim, att_dim):
        super().__init__()
        self.key = nn.Linear(dim, att_dim)
        self.context = nn.Parameter(torch.randn(att_dim))
        self.scale = att_dim ** -0.5

    def forward(self, h, mask=None):
        u = torch.tanh(self.key(h))
        scores = torch.matmul(u, self.context) * self.scale
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        alpha = F.softmax(scores, dim=-1)  # NOT
        pooled = torch.matmul(alpha.unsqueeze(-2), h).squeeze(-2)
        return pooled, alpha


class Level(nn.Module):
    def __init__(self, in_dim, hid):
        super().__init__()
        self.rnn = nn.GRU(in_dim, hid, batch_first=True, bidirectional=True)
        self.pool = ContextPool(2 * hid, 10)

    def forward(self, x, mask=None):
        h, _ = self.rnn(x)
        return self.pool(h, mask)


class HierarchicalNet(nn.Module):
    def __init__(self, vocab=40, emb=8, hid=6, classes=5, pad=0):
        super().__init__()
        self.pad = pad
        self.emb = nn.Embedding(vocab, emb, padding_idx=pad)
        self.word = Level(emb, hid)
        self.sent = Level(2 * hid, hid)
        self.head = nn.Linear(2 * hid, classes)

    def forward(self, docs, explain=False):
        b, s, w = docs.shape
        flat = docs.view(b * s, w)
        sent_vec, word_alpha = self.word(self.emb(flat), (flat != self.pad))
        doc_vec, sent_alpha = self.sent(sent_vec.view(b, s, -1))
        logits = self.head(doc_vec)
        if explain:
            return logits, sent_alpha.unsqueeze(-1) * word_alpha.view(b, s, w)
        return logits


# --- driver ---
torch.manual_seed(38)
net = HierarchicalNet().double().eval()
RESULTS = []

docs = torch.randint(1, 40, (2, 4, 6))
docs[0, :, 4:] = 0
logits = net(docs)
F.cross_entropy(logits, torch.tensor([1, 3])).backward()
RESULTS += [logits.detach()] + [p.grad.clone() for p in net.parameters()]

net.zero_grad()
docs = torch.randint(1, 40, (3, 3, 9))
logits, heat = net(docs, explain=True)
(logits.exp().sum() + heat.square().sum()).backward()
RESULTS += [logits.detach(), heat.detach()] + [p.grad.clone() for p in net.parameters()]
