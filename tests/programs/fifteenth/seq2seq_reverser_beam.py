"""Sequence-to-sequence toy task (reverse the input) with beam search decoding."""
from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BOS, EOS, PAD = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)

    def forward(self, ids: Tensor) -> Tuple[Tensor, Tensor]:
        x = self.emb(ids)
        h = x.new_zeros(x.size(0), x.size(2))
        memory = x.new_empty(x.shape)
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            memory[:, t] = h
        return memory, h


class Decoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.query = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(2 * dim, vocab)

    def step(self, tok: Tensor, h: Tensor, memory: Tensor) -> Tuple[Tensor, Tensor]:
        w = torch.einsum("bd,bnd->bn", self.query(h), memory).softmax(-1)
        ctx = torch.einsum("bn,bnd->bd", w, memory)
        h = self.cell(torch.cat([self.emb(tok), ctx], -1), h)
        logits = self.out(torch.cat([h, ctx], -1))
        logits[:, BOS] = -1e4
        return logits.log_softmax(-1), h


class Seq2Seq(nn.Module):
    def __init__(self, vocab: int, dim: int = 24):
        super().__init__()
        self.enc, self.dec = Encoder(vocab, dim), Decoder(vocab, dim)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        memory, h = self.enc(src)
        total = torch.zeros(())
        for t in range(tgt.size(1) - 1):
            logp, h = self.dec.step(tgt[:, t], h, memory)
            total += F.nll_loss(logp, tgt[:, t + 1], ignore_index=PAD)
        return total / (tgt.size(1) - 1)

    @torch.no_grad()
    def beam(self, src: Tensor, width: int = 3, max_len: int = 6) -> List[int]:
        memory, h = self.enc(src)
        memory, h = memory.repeat(width, 1, 1), h.repeat(width, 1)
        scores = torch.full((width,), float("-inf"))
        scores[0] = 0.0
        hyps = torch.full((width, max_len + 1), PAD)
        hyps[:, 0] = BOS
        done = torch.zeros(width, dtype=torch.bool)
        for t in range(max_len):
            logp, h = self.dec.step(hyps[:, t], h, memory)
            logp[done] = float("-inf")
            logp[done, PAD] = 0.0
            logp += scores[:, None]
            scores, flat = logp.flatten().topk(width)
            origin, tok = flat // logp.size(1), flat % logp.size(1)
            hyps, h, done = hyps[origin], h[origin], done[origin]
            hyps[:, t + 1] = tok
            done |= tok.eq(EOS)
        return hyps[scores.argmax()].tolist()


def batch(n: int, length: int, vocab: int) -> Tuple[Tensor, Tensor]:
    src = torch.randint(3, vocab, (n, length))
    tgt = torch.full((n, length + 2), EOS)
    tgt[:, 0] = BOS
    tgt[:, 1:-1] = src.flip(1)
    return src, tgt


# --- driver ---
if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Seq2Seq(12)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(3):
        loss = model(*batch(8, 4, 12))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    print(model.beam(batch(1, 4, 12)[0]))
