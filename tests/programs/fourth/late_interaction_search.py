"""Late-interaction retrieval with a preallocated token index and distillation from a cross scorer."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, MASK = 0, 1


@dataclass
class Hit:
    doc: int
    score: float


class TokenEncoder(nn.Module):
    def __init__(self, vocab, dim, out):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * dim, out, bias=False)

    def forward(self, ids):
        h = self.proj(self.rnn(self.emb(ids))[0])
        h *= (ids != PAD).unsqueeze(-1)
        return F.normalize(h, dim=-1)


class ColBERT(nn.Module):
    def __init__(self, vocab=40, dim=8, out=6, query_len=5):
        super().__init__()
        self.enc, self.query_len = TokenEncoder(vocab, dim, out), query_len

    def query(self, ids):
        padded = torch.full((len(ids), self.query_len), MASK)
        n = min(ids.shape[1], self.query_len)
        padded[:, :n] = ids[:, :n]
        padded[padded == PAD] = MASK
        return self.enc(padded)

    def score(self, q, d, d_ids):
        sim = torch.einsum("qid,pjd->qpij", q, d)
        sim.masked_fill_((d_ids == PAD)[None, :, None], -1e3)
        return sim.amax(-1).sum(-1)

    def forward(self, q_ids, d_ids):
        return self.score(self.query(q_ids), self.enc(d_ids), d_ids)


class Index:
    def __init__(self, capacity, dim):
        self.vectors = torch.zeros(capacity, dim)
        self.owner = torch.full((capacity,), -1)
        self.fill = 0

    @torch.no_grad()
    def add(self, model, docs):
        start = int(self.owner.max()) + 1
        for k, ids in enumerate(docs):
            ids = ids[ids != PAD]
            v = model.enc(ids[None])[0]
            end = self.fill + len(v)
            self.vectors[self.fill:end] = v
            self.owner[self.fill:end] = start + k
            self.fill = end

    @torch.no_grad()
    def search(self, q, k):
        n_docs = int(self.owner.max()) + 1
        sims = q @ self.vectors[:self.fill].t()
        best = torch.full((len(q), n_docs), -1.0)
        best.scatter_reduce_(1, self.owner[:self.fill].expand(len(q), -1), sims, "amax")
        top = best.sum(0).topk(k)
        return [Hit(d, s) for d, s in zip(top.indices.tolist(), top.values.tolist())]


def overlap_teacher(q_ids, d_ids):
    t = torch.zeros(len(q_ids), len(d_ids))
    for i, q in enumerate(q_ids):
        t[i] += torch.isin(d_ids, q[q != PAD]).sum(1)
    t /= t.amax(1, keepdim=True).clamp_(min=1)
    return t.mul_(5).softmax(-1)


def train(model, batches, lr=3e-3, tau=0.5):
    opt = torch.optim.AdamW(model.parameters(), lr)
    for q_ids, d_ids in batches:
        logits = model(q_ids, d_ids)
        logits /= tau
        ce = F.cross_entropy(logits, torch.arange(len(q_ids)))
        kl = F.kl_div(logits.log_softmax(-1), overlap_teacher(q_ids, d_ids), reduction="batchmean")
        opt.zero_grad()
        (ce + kl).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()


def toy(n=4, vocab=40):
    docs = torch.randint(2, vocab, (n, 8))
    for i in range(n):
        docs[i, 8 - i:] = PAD
    return docs[:, :3].clone(), docs


# --- driver ---
torch.manual_seed(0)
model, index = ColBERT(), Index(64, 6)
q, d = toy()
train(model, [(q, d), toy()])
index.add(model, d)
index.search(model.query(q[:1]).detach()[0], 2)
