"""Pointer-generator summariser with coverage."""
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class DecoderState:
    h: torch.Tensor
    c: torch.Tensor
    coverage: torch.Tensor
    penalty: torch.Tensor

    @classmethod
    def start(cls, enc, dim):
        b, n, _ = enc.shape
        z = enc.new_zeros
        return cls(z(b, dim), z(b, dim), z(b, n), z(b))


class CoverageAttention(nn.Module):
    def __init__(self, d_enc, d_dec, d_att):
        super().__init__()
        self.we, self.wd = nn.Linear(d_enc, d_att, bias=False), nn.Linear(d_dec, d_att)
        self.wc = nn.Linear(1, d_att, bias=False)
        self.v = nn.Linear(d_att, 1, bias=False)

    def forward(self, keys, h, coverage):
        e = self.we(keys) + self.wd(h).unsqueeze(1) + self.wc(coverage.unsqueeze(-1))
        return self.v(torch.tanh(e)).squeeze(-1).softmax(-1)


class PointerGenerator(nn.Module):
    def __init__(self, vocab, dim=20):
        super().__init__()
        self.vocab, self.dim = vocab, dim
        self.emb = nn.Embedding(vocab, dim)
        self.enc = nn.GRU(dim, dim // 2, bidirectional=True, batch_first=True)
        self.cell = nn.LSTMCell(2 * dim, dim)
        self.attn = CoverageAttention(dim, dim, dim)
        self.gen = nn.Linear(2 * dim, vocab)
        self.p_gen = nn.Linear(3 * dim, 1)

    def decode_step(self, tok, src, keys, st: DecoderState):
        a = self.attn(keys, st.h, st.coverage)
        ctx = torch.bmm(a.unsqueeze(1), keys).squeeze(1)
        e = self.emb(tok)
        st.h, st.c = self.cell(torch.cat([e, ctx], -1), (st.h, st.c))
        p_vocab = self.gen(torch.cat([st.h, ctx], -1)).softmax(-1)
        pg = torch.sigmoid(self.p_gen(torch.cat([st.h, ctx, e], -1)))
        p = (pg * p_vocab).scatter_add(1, src, (1 - pg) * a)
        st.penalty = st.penalty + a.sum(-1) - (a - st.coverage).relu().sum(-1)
        st.coverage += a  # BUG
        return p

    def forward(self, src, tgt, cov_weight=1.0):
        keys, _ = self.enc(self.emb(src))
        st = DecoderState.start(keys, self.dim)
        nll = 0.0
        for t in range(tgt.size(1) - 1):
            p = self.decode_step(tgt[:, t], src, keys, st)
            nll = nll - p.gather(1, tgt[:, t + 1:t + 2]).clamp(min=1e-8).log().mean()
        steps = tgt.size(1) - 1
        return nll / steps + cov_weight * st.penalty.mean() / steps


def toy_batch(vocab, batch=4, n_src=10, n_tgt=5):
    src = torch.randint(1, vocab, (batch, n_src))
    pick = torch.rand(batch, n_src).argsort(1)[:, :n_tgt].sort(1).values
    tgt = src.gather(1, pick)
    tgt[:, 0] = 0
    return src, tgt


# --- driver ---
def main():
    torch.manual_seed(0)
    model = PointerGenerator(25)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(*toy_batch(25))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
