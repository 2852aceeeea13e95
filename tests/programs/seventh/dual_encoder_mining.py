"""Dual-encoder retrieval with semi-hard negatives mined inside the batch."""
import collections
import torch
from torch import nn
from torch.nn import functional as F


class BagOfWords(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))

    def forward(self, ids):
        return F.normalize(self.mlp(self.emb(ids)), dim=-1)


class Miner:
    def __init__(self, margin=0.2):
        self.margin = margin
        self.stats = collections.Counter()

    def __call__(self, scores, labels):
        pool = scores.detach()
        same = labels[:, None] == labels[None, :]
        pool.masked_fill_(same, -1.0)  # BUG
        pos = scores.diagonal().detach()
        semi = pool.where(pool < pos[:, None] + self.margin, torch.tensor(-1.0))
        idx = semi.argmax(1)
        self.stats["mined"] += idx.numel()
        self.stats["hard"] += int((pool.max(1).values > pos).sum())
        return idx


class RetrievalLoss(nn.Module):
    def __init__(self, miner, margin=0.2):
        super().__init__()
        self.miner = miner
        self.margin = margin
        self.log_temp = nn.Parameter(torch.zeros(()))

    def forward(self, q, d, labels):
        scores = torch.tanh(q @ d.t() * self.log_temp.exp())
        neg = self.miner(scores, labels)
        q_pos = (q * d).sum(-1)
        q_neg = (q * d[neg]).sum(-1)
        triplet = F.relu(self.margin - q_pos + q_neg).mean()
        inbatch = F.cross_entropy(5 * scores, torch.arange(len(q)))
        return triplet + inbatch


class DualEncoder(nn.Module):
    def __init__(self, vocab, dim, loss):
        super().__init__()
        self.query, self.doc, self.loss = BagOfWords(vocab, dim), BagOfWords(vocab, dim), loss

    def forward(self, q, d, labels):
        return self.loss(self.query(q), self.doc(d), labels)


def recall_at(model, q, d, k=2):
    with torch.no_grad():
        s = model.query(q) @ model.doc(d).t()
        top = s.topk(k, dim=1).indices
        hits = torch.zeros(len(q), dtype=torch.bool)
        for col in range(k):
            hits |= top[:, col] == torch.arange(len(q))
    return hits.float().mean().item()


def loop(model, batches):
    opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for q, d, lab in batches:
        loss = model(q, d, lab)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item(), recall_at(model, q, d)


# --- driver ---
torch.manual_seed(0)
model = DualEncoder(40, 8, RetrievalLoss(Miner()))
list(loop(model, [(torch.randint(40, (6, 5)), torch.randint(40, (6, 9)), torch.arange(6) // 2)]))
