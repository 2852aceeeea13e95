import itertools
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = ("it was the best of times, it was the worst of times, it was the age of wisdom, "
        "it was the age of foolishness, it was the epoch of belief, it was the epoch of incredulity. ") * 6


class Codec:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.ix = {c: i for i, c in enumerate(self.chars)}

    def encode(self, s):
        return torch.tensor([self.ix[c] for c in s])

    def decode(self, t):
        return "".join(self.chars[i] for i in t.tolist())


def parallel_streams(ids, batch, chunk):
    """Contiguous streams: chunk k+1 of a row follows chunk k. `fresh` flags rows that begin a sentence."""
    n = (len(ids) - 1) // batch
    x = ids[: n * batch].view(batch, n)
    y = ids[1: n * batch + 1].view(batch, n)
    for s in range(0, n - chunk + 1, chunk):
        yield x[:, s:s + chunk], y[:, s:s + chunk]


class LockedDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        m = x.new_empty(x.shape[0], 1, x.shape[2]).bernoulli_(1 - self.p).div_(1 - self.p)
        return x * m


class CharLSTM(nn.Module):
    def __init__(self, vocab, dim=24, layers=2):
        super().__init__()
        self.emb, self.drop = nn.Embedding(vocab, dim), LockedDropout(0.1)
        self.rnn = nn.LSTM(dim, dim, layers, batch_first=True)
        self.layers, self.dim = layers, dim

    def zero_state(self, b):
        return tuple(torch.zeros(self.layers, b, self.dim) for _ in range(2))

    def forward(self, x, state):
        h, state = self.rnn(self.drop(self.emb(x)), state)
        return F.linear(h, self.emb.weight), state


class StatefulTrainer:
    def __init__(self, net, lr, clip=0.5, reset_p=0.2):
        self.net, self.clip, self.reset_p = net, clip, reset_p
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.state = None

    def carry(self):
        for s in self.state:
            s.detach_()
        gone = torch.rand(self.state[0].shape[1]) < self.reset_p
        for s in self.state:
            s[:, gone] = 0.0

    def chunk(self, x, y):
        if self.state is None:
            self.state = self.net.zero_state(len(x))
        logits, self.state = self.net(x, self.state)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        self.opt.zero_grad()
        loss.backward()
        for p in self.net.parameters():
            p.grad.clamp_(-self.clip, self.clip)
        self.opt.step()
        self.carry()
        return loss.item()


@torch.no_grad()
def sample(net, codec, prompt, n, temp=0.8):
    net.eval()
    out = torch.zeros(len(prompt) + n, dtype=torch.long)
    out[: len(prompt)] = codec.encode(prompt)
    logits, st = net(out[None, : len(prompt)], net.zero_state(1))
    for i in range(len(prompt), len(out)):
        p = logits[0, -1].div_(temp).softmax(-1)
        out[i] = torch.multinomial(p, 1)
        logits, st = net(out[None, i:i + 1], st)
    net.train()
    return codec.decode(out)


# --- driver ---
torch.manual_seed(0)
codec = Codec(TEXT)
net = CharLSTM(len(codec.chars))
tr = StatefulTrainer(net, 1e-2)
for x, y in itertools.islice(parallel_streams(codec.encode(TEXT), 6, 20), 5):
    print(tr.chunk(x, y))
print(sample(net, codec, "it was ", 20))
