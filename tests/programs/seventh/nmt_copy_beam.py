import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, src):
        out, h = self.rnn(self.emb(src))
        return out, h[0]


class Bahdanau(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.wq, self.wk = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, 1, bias=False)

    def forward(self, q, keys, mask, coverage):
        e = self.wk(keys)
        e += self.wq(q).unsqueeze(1)
        score = self.v(torch.tanh(e)).squeeze(-1)
        score -= coverage
        score.masked_fill_(mask, float("-inf"))
        a = score.softmax(-1)
        return torch.bmm(a.unsqueeze(1), keys).squeeze(1), a


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.attn = Bahdanau(dim)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.out = nn.Linear(2 * dim, vocab)

    def step(self, tok, h, keys, mask, cov):
        ctx, a = self.attn(h, keys, mask, cov)
        h = self.cell(torch.cat([self.emb(tok), ctx], -1), h)
        return self.out(torch.cat([h, ctx], -1)), h, a


class Seq2Seq(nn.Module):
    def __init__(self, vocab=12, dim=8):
        super().__init__()
        self.enc, self.dec, self.vocab = Encoder(vocab, dim), Decoder(vocab, dim), vocab

    def forward(self, src, tgt, p_teacher=0.5):
        keys, h = self.enc(src)
        mask = src == PAD
        B, T = tgt.shape
        outputs = torch.zeros(B, T, self.vocab)
        attn = torch.zeros(B, T, src.size(1))
        cov = torch.zeros_like(src, dtype=torch.float)
        tok = tgt[:, 0]
        for t in range(1, T):
            logits, h, a = self.dec.step(tok, h, keys, mask, cov)
            outputs[:, t] = logits
            attn[:, t] = a
            cov += a.detach()
            nxt = logits.argmax(-1)
            use = torch.rand(B) < p_teacher
            nxt[use] = tgt[use, t]
            tok = nxt
        return outputs, attn

    @torch.no_grad()
    def beam(self, src, width=3, max_len=6):
        keys, h = self.enc(src)
        mask = src == PAD
        V = self.vocab
        seqs = torch.full((width, max_len), PAD)
        seqs[:, 0] = BOS
        score = torch.full((width,), float("-inf"))
        score[0] = 0
        keys, mask, h = keys.expand(width, -1, -1), mask.expand(width, -1), h.expand(width, -1)
        cov = torch.zeros(width, src.size(1))
        done = torch.zeros(width, dtype=torch.bool)
        for t in range(1, max_len):
            logits, h, a = self.dec.step(seqs[:, t - 1], h, keys, mask, cov)
            logp = logits.log_softmax(-1)
            logp[done] = float("-inf")
            logp[done, PAD] = 0
            total = score.unsqueeze(1) + logp
            score, flat = total.view(-1).topk(width)
            parent, word = flat // V, flat % V
            seqs = seqs[parent]
            seqs[:, t] = word
            h, cov, done = h[parent], cov[parent], done[parent]
            cov.add_(a[parent])
            done |= word == EOS
        return seqs[score.argmax()]


def loss_fn(outputs, attn, tgt, cov_weight=0.1):
    nll = F.cross_entropy(outputs[:, 1:].transpose(1, 2), tgt[:, 1:], ignore_index=PAD)
    past = attn.cumsum(1)
    past -= attn
    return nll + cov_weight * torch.minimum(attn, past).sum(-1).mean()


def batchify(n, length, vocab):
    s = torch.randint(3, vocab, (n, length))
    s[torch.arange(n), torch.randint(2, length, (n,))] = EOS
    tgt = torch.full((n, length + 1), BOS)
    tgt[:, 1:] = s
    return s, tgt


# --- driver ---
torch.manual_seed(0)
model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(2):
    src, tgt = batchify(3, 5, 12)
    loss = loss_fn(*model(src, tgt), tgt)
    opt.zero_grad()
    loss.backward()
    opt.step()
model.beam(src[:1])
