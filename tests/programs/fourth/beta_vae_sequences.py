import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=15)
    p.add_argument("--dim", type=int, default=8)
    p.add_argument("--latent", type=int, default=4)
    p.add_argument("--word-drop", type=float, default=0.3)
    p.add_argument("--beta", type=float, default=0.5)
    p.add_argument("--free-bits", type=float, default=0.05)
    p.add_argument("--lr", type=float, default=1e-3)
    return p.parse_args(argv or [])


class Annealer:
    def __init__(self, top, period):
        self.top, self.period, self.t = top, period, 0

    def __call__(self):
        phase = (self.t % self.period) / self.period
        self.t += 1
        return self.top * min(1.0, 2 * phase + 0.1)


class Encoder(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(a.vocab, a.dim), nn.LSTM(a.dim, a.dim, batch_first=True)
        self.mu, self.logvar = nn.Linear(a.dim, a.latent), nn.Linear(a.dim, a.latent)

    def forward(self, ids):
        valid = ids != 0
        h, _ = self.rnn(self.emb(ids))
        h = h.masked_fill(~valid.unsqueeze(-1), 0.0)
        pooled = h.sum(1)
        pooled /= valid.sum(1, keepdim=True).clamp_(min=1)
        return self.mu(pooled), self.logvar(pooled).clamp_(-8, 4)


class Decoder(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.emb, self.cell = nn.Embedding(a.vocab, a.dim), nn.LSTMCell(a.dim + a.latent, a.dim)
        self.init, self.out = nn.Linear(a.latent, 2 * a.dim), nn.Linear(a.dim, a.vocab)

    def forward(self, z, ids):
        h, c = self.init(z).tanh_().chunk(2, -1)
        logits = z.new_zeros(len(z), ids.shape[1], self.out.out_features)
        for t in range(ids.shape[1]):
            h, c = self.cell(torch.cat([self.emb(ids[:, t]), z], -1), (h, c))
            logits[:, t] = self.out(h)
        return logits


class SeqVAE(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.a, self.enc, self.dec = a, Encoder(a), Decoder(a)

    @staticmethod
    def reparameterise(mu, logvar):
        std = (0.5 * logvar).exp_()
        z = torch.randn_like(std)
        z = std * z
        z += mu
        return z

    def word_dropout(self, ids):
        out = ids.clone()
        drop = torch.rand(ids.shape).lt_(self.a.word_drop).bool()
        drop[:, 0] = False
        out[drop] = 2
        return out

    def forward(self, ids):
        mu, logvar = self.enc(ids)
        z = self.reparameterise(mu, logvar)
        logits = self.dec(z, self.word_dropout(ids[:, :-1]))
        return logits, mu, logvar


def elbo(logits, ids, mu, logvar, beta, free_bits):
    target = ids[:, 1:].clone()
    target[target == 0] = -1
    nll = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-1)
    kl = mu.square()
    kl = kl + logvar.exp()
    kl -= logvar
    kl -= 1
    kl.mul_(0.5)
    return nll + beta * kl.mean(0).clamp_(min=free_bits).sum(), kl


class ActiveUnits:
    def __init__(self, latent):
        self.n, self.s, self.ss = 0, torch.zeros(latent), torch.zeros(latent)

    def add(self, mu):
        mu = mu.detach()
        self.n += len(mu)
        self.s += mu.sum(0)
        self.ss += mu.square().sum(0)

    def count(self, eps=1e-2):
        var = (self.ss / self.n).sub_((self.s / self.n).square_())
        return int((var > eps).sum())


def train(model, batches):
    opt = torch.optim.Adam(model.parameters(), model.a.lr)
    beta, units = Annealer(model.a.beta, 4), ActiveUnits(model.a.latent)
    for ids in batches:
        logits, mu, logvar = model(ids)
        loss, kl = elbo(logits, ids, mu, logvar, beta(), model.a.free_bits)
        units.add(mu)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return math.exp(min(loss.item(), 20)), units.count()


# --- driver ---
torch.manual_seed(0)
args = get_args()
batch = torch.randint(3, 15, (4, 6)); batch[:, 0] = 1; batch[0, 4:] = 0
train(SeqVAE(args), [batch, batch.flip(0)])
