"""Transducer loss on the full lattice, plus a small joint network."""
import torch
from torch import nn, Tensor
from dataclasses import dataclass


@dataclass
class Lattice:
    """Forward variables over (frames, labels)."""
    blank: Tensor   # B, T, U+1
    emit: Tensor    # B, T, U

    def __post_init__(self):
        b, t, u = self.blank.shape
        self.alpha = torch.full((t, u, b), -1e9)
        self.alpha[0, 0] = 0.0

    def from_left(self, t: int, u: int) -> Tensor:
        return self.alpha[t - 1, u] + self.blank[:, t - 1, u]

    def from_below(self, t: int, u: int) -> Tensor:
        return self.alpha[t, u - 1] + self.emit[:, t, u - 1]

    def visit(self, t: int, u: int) -> None:
        if t > 0:
            self.accumulate(t, u, self.from_left(t, u))
        if u > 0:
            self.accumulate(t, u, self.from_below(t, u))

    def accumulate(self, t: int, u: int, score: Tensor) -> None:
        self.alpha[t, u] = torch.logaddexp(self.alpha[t, u], score)  # BUG

    def total(self) -> Tensor:
        T, U1, _ = self.alpha.shape
        for t in range(T):
            for u in range(U1):
                if t or u:
                    self.visit(t, u)
        return self.alpha[-1, -1] + self.blank[:, -1, -1]


class Joiner(nn.Module):
    def __init__(self, enc: int, pred: int, vocab: int, hid: int = 16):
        super().__init__()
        self.e, self.p = nn.Linear(enc, hid), nn.Linear(pred, hid, bias=False)
        self.o = nn.Linear(hid, vocab + 1)

    def forward(self, f: Tensor, g: Tensor) -> Tensor:
        z = self.e(f).unsqueeze(2) + self.p(g).unsqueeze(1)
        return self.o(z.tanh_()).log_softmax(-1)


class Transducer(nn.Module):
    BLANK = 0

    def __init__(self, feat: int, vocab: int, width: int = 12):
        super().__init__()
        self.enc = nn.LSTM(feat, width, batch_first=True)
        self.emb = nn.Embedding(vocab + 1, width)
        self.dec = nn.GRU(width, width, batch_first=True)
        self.join = Joiner(width, width, vocab)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        f, _ = self.enc(x)
        start = torch.full_like(y[:, :1], self.BLANK)
        g, _ = self.dec(self.emb(torch.cat([start, y], 1)))
        lp = self.join(f, g)
        idx = y[:, None, :, None].expand(-1, x.shape[1], -1, 1)
        emit = lp[:, :, :-1].gather(-1, idx).squeeze(-1)
        return -Lattice(lp[..., self.BLANK], emit).total()


def train(model: Transducer, data, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr)
    for x, y in data:
        nll = model(x, y).mean() / y.shape[1]
        opt.zero_grad()
        nll.backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)
        opt.step()
        yield nll.item()


# --- driver ---
torch.manual_seed(19)
net = Transducer(6, 9)
for loss in train(net, [(torch.randn(2, 7, 6), torch.randint(1, 10, (2, 4))) for _ in range(2)]):
    print(loss)
