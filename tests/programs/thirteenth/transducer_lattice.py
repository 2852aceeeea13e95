"""RNN-T loss by the plain forward recursion over the (T, U) lattice."""
import torch
import torch.nn as nn
import torch.nn.functional as F

NEG = -1e4


class Lattice:
    def __init__(self, log_blank, log_label):
        self.blank, self.label = log_blank, log_label      # [B,T,U+1], [B,T,U]
        self.B, self.T, self.U1 = log_blank.shape
        self.alpha = torch.full((self.B, self.T, self.U1), NEG)

    def arrivals(self, t, u):
        if t > 0:
            yield self.alpha[:, t - 1, u] + self.blank[:, t - 1, u]
        if u > 0:
            yield self.alpha[:, t, u - 1] + self.label[:, t, u - 1]

    def run(self):
        self.alpha[:, 0, 0] = 0.0
        for t in range(self.T):
            for u in range(self.U1):
                a = list(self.arrivals(t, u))
                if a:
                    self.alpha[:, t, u] = a[0] if len(a) == 1 else torch.logaddexp(*a)
        return self.alpha[:, -1, -1] + self.blank[:, -1, -1]


class Encoder(nn.Module):
    def __init__(self, feat, dim):
        super().__init__()
        self.rnn = nn.GRU(feat, dim, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[0][:, ::2]


class Predictor(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab + 1, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.sos = vocab

    def forward(self, y):
        sos = y.new_full((len(y), 1), self.sos)
        return self.rnn(self.emb(torch.cat([sos, y], 1)))[0]


class Joiner(nn.Module):
    def __init__(self, dim, vocab):
        super().__init__()
        self.enc, self.pred = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, vocab)

    def forward(self, e, p):
        z = self.enc(e)[:, :, None] + self.pred(p)[:, None]
        return F.log_softmax(self.out(z.tanh_()), -1)


class Transducer(nn.Module):
    def __init__(self, feat=10, vocab=8, dim=16, blank=0):
        super().__init__()
        self.blank = blank
        self.encoder, self.predictor = Encoder(feat, dim), Predictor(vocab, dim)
        self.joiner = Joiner(dim, vocab)

    def loss(self, x, y):
        lp = self.joiner(self.encoder(x), self.predictor(y))
        idx = y[:, None, :, None].expand(-1, lp.size(1), -1, 1)
        lab = lp[:, :, :-1].gather(-1, idx).squeeze(-1)
        return -Lattice(lp[..., self.blank], lab).run().mean()


# --- driver ---
torch.manual_seed(0)
model = Transducer()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    loss = model.loss(torch.randn(2, 12, 10), torch.randint(1, 8, (2, 4)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
