import torch
import torch.nn as nn


class LinearChainCRF(nn.Module):
    """Negative log likelihood of tag sequences, batch first, mask is (B, T) bool."""

    def __init__(self, num_tags):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.stop = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.trans = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def forward(self, emissions, tags, mask):
        gold = self._path_score(emissions, tags, mask)
        norm = self._partition(emissions, mask)
        return (norm - gold).mean()

    def _path_score(self, emissions, tags, mask):
        B, T, _ = emissions.shape
        rows = torch.arange(B)
        score = self.start[tags[:, 0]] + emissions[rows, 0, tags[:, 0]]
        for t in range(1, T):
            step = self.trans[tags[:, t - 1], tags[:, t]] + emissions[rows, t, tags[:, t]]
            score = score + step * mask[:, t]
        last = tags[rows, mask.long().sum(1) - 1]
        return score + self.stop[last]

    def _partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            scores = alpha.unsqueeze(2) + self.trans + emissions[:, t].unsqueeze(1)
            nxt = torch.logsumexp(scores, dim=1)
            live = mask[:, t].unsqueeze(1).expand_as(nxt)
            nxt[~live] = alpha[~live]  # BUG
            alpha = nxt
        return torch.logsumexp(alpha + self.stop, dim=1)

    @torch.no_grad()
    def decode(self, emissions):
        score = self.start + emissions[:, 0]
        back = []
        for t in range(1, emissions.size(1)):
            best, idx = (score.unsqueeze(2) + self.trans).max(dim=1)
            back.append(idx)
            score = best + emissions[:, t]
        tag = (score + self.stop).argmax(1)
        path = [tag]
        for idx in reversed(back):
            tag = idx.gather(1, tag.unsqueeze(1)).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], dim=1)


class BiLSTMTagger(nn.Module):
    def __init__(self, vocab, num_tags, emb=16, hid=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.rnn = nn.LSTM(emb, hid, bidirectional=True, batch_first=True)
        self.emit = nn.Linear(2 * hid, num_tags)
        self.crf = LinearChainCRF(num_tags)

    def features(self, words):
        out, _ = self.rnn(self.emb(words))
        return self.emit(out)

    def loss(self, words, tags):
        return self.crf(self.features(words), tags, words.ne(0))

    def tag(self, words):
        return self.crf.decode(self.features(words))


def random_corpus(sentences, vocab, num_tags, max_len):
    for _ in range(sentences):
        n = int(torch.randint(2, max_len + 1, ()))
        words = torch.randint(1, vocab, (n,))
        yield words, words % num_tags


def collate(pairs):
    words, tags = zip(*pairs)
    pad = nn.utils.rnn.pad_sequence
    return pad(list(words), batch_first=True), pad(list(tags), batch_first=True)


# --- driver ---
torch.manual_seed(3)
tagger = BiLSTMTagger(vocab=40, num_tags=5)
sgd = torch.optim.SGD(tagger.parameters(), lr=0.1)
for epoch in range(2):
    words, tags = collate(list(random_corpus(6, 40, 5, 9)))
    nll = tagger.loss(words, tags)
    sgd.zero_grad()
    nll.backward()
    sgd.step()
