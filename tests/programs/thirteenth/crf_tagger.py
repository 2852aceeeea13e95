import torch
import torch.nn as nn


class LinearChainCRF(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(n_tags, n_tags) * 0.1)
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))

    def score(self, em, tags, mask):
        b, t, _ = em.shape
        rows = torch.arange(b)
        s = self.start[tags[:, 0]] + em[rows, 0, tags[:, 0]]
        for i in range(1, t):
            step = self.trans[tags[:, i - 1], tags[:, i]] + em[rows, i, tags[:, i]]
            s = s + step * mask[:, i]
        last = tags.gather(1, (mask.sum(1).long() - 1)[:, None]).squeeze(1)
        return s + self.end[last]

    def log_z(self, em, mask):
        alpha = self.start + em[:, 0]
        for i in range(1, em.shape[1]):
            scores = alpha[:, :, None] + self.trans + em[:, i, None, :]
            nxt = torch.logsumexp(scores, dim=1)
            live = mask[:, i].bool()
            alpha = alpha.clone()
            alpha[live] = nxt[live]
        return torch.logsumexp(alpha + self.end, dim=1)

    def nll(self, em, tags, mask):
        return (self.log_z(em, mask) - self.score(em, tags, mask)).mean()

    @torch.no_grad()
    def viterbi(self, em, mask):
        delta = self.start + em[:, 0]
        back = torch.zeros(em.shape, dtype=torch.long)
        for i in range(1, em.shape[1]):
            best, arg = (delta[:, :, None] + self.trans).max(1)
            back[:, i] = arg
            live = mask[:, i].bool()
            delta[live] = best[live] + em[live, i]
        paths = []
        for b, n in enumerate(mask.sum(1).long().tolist()):
            cur = int((delta[b] + self.end).argmax())
            path = [cur]
            for i in range(n - 1, 0, -1):
                cur = int(back[b, i, cur])
                path.append(cur)
            paths.append(path[::-1])
        return paths


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.lin = nn.Linear(2 * dim, tags)
        self.crf = LinearChainCRF(tags)

    def emissions(self, tok):
        h, _ = self.rnn(self.emb(tok))
        return self.lin(h)

    def loss(self, tok, tags):
        return self.crf.nll(self.emissions(tok), tags, (tok != 0).float())

    def decode(self, tok):
        return self.crf.viterbi(self.emissions(tok), (tok != 0).float())


def make_batch(b, t, vocab, n_tags):
    tok = torch.randint(1, vocab, (b, t))
    lens = torch.randint(2, t + 1, (b,))
    tok[torch.arange(t)[None] >= lens[:, None]] = 0
    return tok, torch.randint(0, n_tags, (b, t))


# --- driver ---
torch.manual_seed(0)
model = Tagger(50, 5)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for k in range(4):
    tok, tags = make_batch(6, 9, 50, 5)
    loss = model.loss(tok, tags)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(k, loss.item(), model.decode(tok)[0])
