import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = "the quick brown fox jumps over the lazy dog and runs away from it "


class Vocab:
    def __init__(self, text):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return torch.tensor([self.stoi[c] for c in text])


def batchify(ids, bsz):
    n = ids.numel() // bsz
    return ids[: n * bsz].view(bsz, n)


def chunks(data, bptt):
    for i in range(0, data.size(1) - 1, bptt):
        n = min(bptt, data.size(1) - 1 - i)
        yield data[:, i : i + n], data[:, i + 1 : i + 1 + n]


class MinGRUCell(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.wx = nn.Linear(d_in, 2 * d_h)
        self.wh = nn.Linear(d_h, 2 * d_h, bias=False)
        nn.init.orthogonal_(self.wh.weight)

    def forward(self, x, h):
        z, n = (self.wx(x) + self.wh(h)).chunk(2, -1)
        z = torch.sigmoid(z)
        return (1 - z) * h + z * torch.tanh(n)


class CharRNN(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.dim = dim
        self.emb = nn.Embedding(vocab, dim)
        self.cell = MinGRUCell(dim, dim)
        self.dec = nn.Linear(dim, vocab)

    def init_hidden(self, bsz):
        return torch.zeros(bsz, self.dim)

    def forward(self, x, h):
        outs = []
        for e in self.emb(x).unbind(1):
            h = self.cell(e, h)
            outs.append(h)
        return self.dec(torch.stack(outs, 1)), h


class Perplexity:
    def __init__(self):
        self.total = torch.zeros(())
        self.n = 0

    def update(self, loss, count):
        self.total += loss.detach() * count
        self.n += count

    @property
    def value(self):
        return (self.total / self.n).exp().item()


def train_epoch(model, data, opt, bptt=4, clip=0.25):
    model.train()
    ppl = Perplexity()
    hidden = model.init_hidden(data.size(0))
    for x, y in chunks(data, bptt):
        logits, hidden = model(x, hidden)
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
        opt.zero_grad()
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        opt.step()  # BUG
        ppl.update(loss, y.numel())
    return ppl.value


# --- driver ---
torch.manual_seed(0)
vocab = Vocab(TEXT)
model = CharRNN(len(vocab), 10)
data = batchify(vocab.encode(TEXT), 4)[:, :10]
train_epoch(model, data, torch.optim.SGD(model.parameters(), lr=0.5))
