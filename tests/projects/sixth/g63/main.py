import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SOS, V = 0, 10


def gumbel_softmax(logits, tau=1.0, hard=False):
    g = -torch.empty_like(logits).exponential_().log()
    g += logits
    g /= tau
    y_soft = g.softmax(-1)
    if not hard:
        return y_soft
    index = y_soft.max(-1, keepdim=True)[1]
    y_hard = torch.zeros_like(logits).scatter_(-1, index, 1.0)
    return y_hard - y_soft.detach() + y_soft


class Encoder(nn.Module):
    def __init__(self, d, codes):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.gru = nn.GRU(d, d, batch_first=True)
        self.q = nn.Linear(d, codes)
        self.code = nn.Parameter(torch.randn(codes, d) * 0.3)

    def forward(self, x, tau, hard):
        _, h = self.gru(self.emb(x))
        q = self.q(h[0])
        z = gumbel_softmax(q, tau, hard)
        return z @ self.code, q


class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.cell = nn.GRUCell(d, d)
        self.out = nn.Linear(d, V)

    def forward(self, target, h, teacher=0.5):
        B, T = target.shape
        tokens = torch.full((B, T + 1), SOS, dtype=torch.long)
        logits = torch.zeros(B, T, V)
        for t in range(T):
            # a plain tokens[:, t] would be saved by the embedding as a view of `tokens`
            inp = self.emb(tokens[:, t].clone())
            h = self.cell(inp, h)
            logits[:, t] = self.out(h)
            with torch.no_grad():
                probs = logits[:, t].softmax(-1)
                nxt = torch.multinomial(probs, 1).squeeze(1)
            if random.random() < teacher:
                tokens[:, t + 1] = target[:, t]
            else:
                tokens[:, t + 1] = nxt
        return logits, tokens[:, 1:]


def seq_batch(n, T=5):
    start = torch.randint(1, V, (n, 1))
    stride = torch.randint(1, 3, (n, 1))
    x = start + stride * torch.arange(T)
    x -= 1
    x %= V - 1
    x += 1
    return x


def main():
    random.seed(63)
    torch.manual_seed(63)
    torch.set_num_threads(1)
    enc, dec = Encoder(16, 6), Decoder(16)
    opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 5e-3)
    tau = 1.0
    for it in range(12):
        x = seq_batch(24)
        h, q = enc(x, tau, hard=it % 2 == 0)
        logits, toks = dec(x, h, teacher=1.0 - it / 12)
        rec = F.cross_entropy(logits.flatten(0, 1), x.flatten())
        p = q.softmax(-1)
        kl = (p * (p + 1e-9).log_()).sum(-1).mean()
        loss = rec + 0.1 * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        tau *= 0.95
        if it % 4 == 0:
            print(it, round(rec.item(), 4), round((toks == x).float().mean().item(), 3))


if __name__ == "__main__":
    main()
