"""BiLSTM-CRF sequence tagger with a padded log-space forward pass."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LinearChainCRF(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.n_tags = n_tags
        self.trans = nn.Parameter(torch.empty(n_tags, n_tags).uniform_(-0.1, 0.1))
        self.start, self.end = nn.Parameter(torch.zeros(n_tags)), nn.Parameter(torch.zeros(n_tags))
        with torch.no_grad():
            self.trans[0].fill_(-2.0)
            self.end[0] = -1.0

    def partition(self, emit, mask):
        B, T, K = emit.shape
        table = emit.new_full((T, B, K), float('-inf'))
        cur = self.start + emit[:, 0]
        table[0] = cur
        for t in range(1, T):
            nxt = torch.logsumexp(cur.unsqueeze(2) + self.trans, dim=1) + emit[:, t]
            cur = torch.where(mask[:, t].unsqueeze(1), nxt, cur)
            table[t] = cur
        last = mask.sum(1).long() - 1
        final = table[last, torch.arange(B)]
        return torch.logsumexp(final + self.end, dim=1)

    def gold_score(self, emit, tags, mask):
        B, T, _ = emit.shape
        score = self.start[tags[:, 0]]
        unary = emit.gather(2, tags.unsqueeze(2)).squeeze(2)
        m = mask.float()
        score = score + (unary * m).sum(1)
        pair = self.trans[tags[:, :-1], tags[:, 1:]]
        score += (pair * m[:, 1:]).sum(1)
        last = tags.gather(1, (mask.sum(1, keepdim=True) - 1).long()).squeeze(1)
        score += self.end[last]
        return score

    def forward(self, emit, tags, mask):
        return (self.partition(emit, mask) - self.gold_score(emit, tags, mask)).mean()


class Tagger(nn.Module):
    def __init__(self, vocab, n_tags, dim=12, hidden=10):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, n_tags)
        self.crf = LinearChainCRF(n_tags)

    def emissions(self, ids):
        x = self.emb(ids)
        packed = nn.utils.rnn.pack_padded_sequence(x, ids.ne(0).sum(1), batch_first=True, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=ids.size(1))
        return self.fc(h)

    def loss(self, ids, tags):
        return self.crf(self.emissions(ids), tags, ids.ne(0))


def toy_batch(n, vocab, n_tags, T=7):
    lens = torch.randint(2, T + 1, (n,))
    lens[0] = T
    ids = torch.randint(1, vocab, (n, T))
    tags = ids % n_tags
    pad = torch.arange(T).unsqueeze(0) >= lens.unsqueeze(1)
    ids.masked_fill_(pad, 0)
    tags.masked_fill_(pad, 0)
    return ids, tags


def train(model, batches, lr=0.05):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    total = 0.0
    for ids, tags in batches:
        opt.zero_grad()
        loss = model.loss(ids, tags)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        total += loss.item()
    return total


# --- driver ---
print(train(Tagger(30, 4), [toy_batch(5, 30, 4) for _ in range(2)]))
