"""RNN transducer with a forward-algorithm loss in pure PyTorch (small lattices only)."""
import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, mels: int, dim: int) -> None:
        super().__init__()
        self.sub = nn.Conv1d(mels, dim, 3, stride=2, padding=1)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, mel: Tensor) -> Tensor:
        x = torch.relu(self.sub(mel.transpose(1, 2))).transpose(1, 2)
        return self.rnn(x)[0]


class Predictor(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, labels: Tensor, blank: int) -> Tensor:
        start = torch.full_like(labels[:, :1], blank)
        return self.rnn(self.emb(torch.cat([start, labels], dim=1)))[0]


class Joiner(nn.Module):
    def __init__(self, dim: int, vocab: int) -> None:
        super().__init__()
        self.enc, self.pred = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, vocab)

    def forward(self, e: Tensor, p: Tensor) -> Tensor:
        return self.out(torch.tanh(self.enc(e).unsqueeze(2) + self.pred(p).unsqueeze(1))).log_softmax(-1)


class Lattice:
    """alpha[t][u]: log probability of having emitted u labels before frame t."""

    def __init__(self, log_probs: Tensor, labels: Tensor, blank: int) -> None:
        self.blank_lp = log_probs[..., blank]
        index = labels.unsqueeze(1).unsqueeze(-1).expand(-1, log_probs.size(1), -1, 1)
        self.label_lp = log_probs[:, :, :-1].gather(3, index).squeeze(3)
        b, self.frames, self.units = self.blank_lp.shape
        self.alpha = log_probs.new_full((b, self.frames, self.units), float("-inf"))

    def _arrivals(self, t: int, u: int):
        if t > 0:
            yield self.alpha[:, t - 1, u] + self.blank_lp[:, t - 1, u]
        if u > 0:
            yield self.alpha[:, t, u - 1] + self.label_lp[:, t, u - 1]

    def _cell(self, t: int, u: int) -> Tensor:
        ways = list(self._arrivals(t, u))
        if not ways:
            return torch.zeros_like(self.blank_lp[:, 0, 0])
        return ways[0] if len(ways) == 1 else torch.logaddexp(*ways)

    def total(self) -> Tensor:
        for t in range(self.frames):
            for u in range(self.units):
                self.alpha[:, t, u] = self._cell(t, u)
        return self.alpha[:, -1, -1] + self.blank_lp[:, -1, -1]


class Transducer(nn.Module):
    def __init__(self, mels: int = 6, vocab: int = 7, dim: int = 16, blank: int = 0) -> None:
        super().__init__()
        self.blank = blank
        self.encoder, self.predictor, self.joiner = Encoder(mels, dim), Predictor(vocab, dim), Joiner(dim, vocab)

    def forward(self, mel: Tensor, labels: Tensor) -> Tensor:
        lp = self.joiner(self.encoder(mel), self.predictor(labels, self.blank))
        return -Lattice(lp, labels, self.blank).total().mean()


# --- driver ---
torch.manual_seed(2)
model = Transducer()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(3):
    loss = model(torch.randn(3, 12, 6), torch.randint(1, 7, (3, 4)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
