from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class PeepholeLSTMCell(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.xi, self.xf, self.xg, self.xo = (nn.Linear(d, h) for _ in range(4))
        self.hi, self.hf, self.hg, self.ho = (nn.Linear(h, h, bias=False) for _ in range(4))
        self.pi = nn.Parameter(torch.zeros(h))
        self.pf = nn.Parameter(torch.zeros(h))
        self.po = nn.Parameter(torch.zeros(h))
        nn.init.constant_(self.xf.bias, 1.0)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        i = self.xi(x).add_(self.hi(h)).add_(self.pi * c).sigmoid_()
        f = self.xf(x).add_(self.hf(h)).add_(self.pf * c).sigmoid_()
        g = self.xg(x).add_(self.hg(h)).tanh_()
        c = (f * c).addcmul_(i, g)
        o = self.xo(x).add_(self.ho(h)).add_(self.po * c).sigmoid_()
        return o * torch.tanh(c), c

    def forward_ref(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        i = torch.sigmoid(self.xi(x) + self.hi(h) + self.pi * c)
        f = torch.sigmoid(self.xf(x) + self.hf(h) + self.pf * c)
        g = torch.tanh(self.xg(x) + self.hg(h))
        c = f * c + i * g
        o = torch.sigmoid(self.xo(x) + self.ho(h) + self.po * c)
        return o * torch.tanh(c), c


class Tagger(nn.Module):
    def __init__(self, vocab: int, tags: int, d: int = 10, h: int = 14) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.cell = PeepholeLSTMCell(d, h)
        self.out = nn.Linear(h, tags)
        self.h = h

    def forward(self, tok: Tensor, mask: Tensor, ref: bool = False) -> Tensor:
        B, T = tok.shape
        h = c = tok.new_zeros(B, self.h, dtype=torch.float)
        step = self.cell.forward_ref if ref else self.cell
        out: list[Tensor] = [h] * T
        x = self.emb(tok)
        for t in range(T):
            hn, cn = step(x[:, t], h, c)
            m = mask[:, t, None]
            h = torch.where(m, hn, h)
            c = torch.where(m, cn, c)
            out[t] = h
        return self.out(torch.stack(out, 1))


def loss_of(model: Tagger, tok: Tensor, y: Tensor, mask: Tensor, ref: bool) -> Tensor:
    logits = model(tok, mask, ref)
    y = y.masked_fill(~mask, -100)
    return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=-100)


if __name__ == "__main__":
    torch.manual_seed(25)
    torch.set_num_threads(1)
    model = Tagger(9, 3)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(6):
        tok = torch.randint(0, 9, (12, 6))
        mask = torch.arange(6) < torch.randint(2, 7, (12, 1))
        y = (tok + tok.roll(1, 1)).remainder(3)
        gr = torch.autograd.grad(loss_of(model, tok, y, mask, True), list(model.parameters()))
        loss = loss_of(model, tok, y, mask, False)
        opt.zero_grad()
        loss.backward()
        assert all(torch.allclose(a, p.grad, atol=1e-6) for a, p in zip(gr, model.parameters()))
        opt.step()
        print(step, round(loss.item(), 4))
