from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


class NormBoundedEmbedding(nn.Module):
    """Lookup whose rows stay inside a ball, with a scoring head that shares the table."""

    def __init__(self, n, dim, max_norm=1.0, padding_idx=0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, dim))
        self.max_norm, self.padding_idx = max_norm, padding_idx
        with torch.no_grad():
            self.weight[padding_idx].zero_()

    def lookup(self, ids):
        return F.embedding(ids, self.weight, self.padding_idx, max_norm=self.max_norm)  # BUG

    def score(self, h):
        return h @ self.weight.t()


class PrefixEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, e, lengths):
        out, _ = self.gru(e)
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, out.size(-1))
        return out.gather(1, last).squeeze(1)


class Autocomplete(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.table = NormBoundedEmbedding(n, dim)
        self.enc = PrefixEncoder(dim)

    def forward(self, prefix, lengths, negatives):
        h = self.enc(self.table.lookup(prefix), lengths)
        logits = self.table.score(h)
        neg = self.table.lookup(negatives)
        contrast = torch.einsum("bd,bkd->bk", h, neg)
        return logits, contrast


def collate(seqs, pad=0):
    lengths = torch.tensor([len(s) - 1 for s in seqs])
    out = torch.full((len(seqs), int(lengths.max())), pad)
    for i, s in enumerate(seqs):
        out[i, : len(s) - 1] = torch.tensor(s[:-1])
    return out, lengths, torch.tensor([s[-1] for s in seqs])


def sample_negatives(n, shape, gen):
    return torch.randint(1, n, shape, generator=gen)


def step(model, opt, seqs, draw):
    prefix, lengths, target = collate(seqs)
    logits, contrast = model(prefix, lengths, draw((len(seqs), 3)))
    loss = F.cross_entropy(logits, target) + 0.1 * F.softplus(contrast).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(17)
model = Autocomplete(15, 6)
draw = partial(sample_negatives, 15, gen=torch.Generator().manual_seed(0))
opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
print(step(model, opt, [[3, 4, 5], [7, 2, 9, 11], [1, 6]], draw))
