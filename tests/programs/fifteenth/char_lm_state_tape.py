"""Character language model: a recurrent core writing its states on a tape."""
from typing import Callable, Iterator, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class StateTape(nn.Module):
    """Runs a cell over time and returns every hidden state."""

    def __init__(self, cell_factory: Callable[..., nn.Module], d_in: int, d_hid: int):
        super().__init__()
        self.cell = cell_factory(d_in, d_hid)
        self.h0 = nn.Parameter(torch.zeros(d_hid))
        self.d_hid = d_hid

    def _blank(self, batch: int, steps: int, ref: Tensor) -> Tensor:
        tape = ref.new_zeros(batch, steps + 1, self.d_hid)
        tape[:, 0] = self.h0
        return tape

    def forward(self, x: Tensor) -> Tensor:
        batch, steps, _ = x.shape
        tape = self._blank(batch, steps, x)
        for t in range(steps):
            tape[:, t + 1] = self.cell(x[:, t], tape[:, t])  # BUG
        return tape[:, 1:]


class CharLM(nn.Module):
    def __init__(self, vocab: int, d_emb: int = 16, d_hid: int = 32):
        super().__init__()
        self.emb = nn.Embedding(vocab, d_emb)
        self.core = StateTape(nn.GRUCell, d_emb, d_hid)
        self.norm = nn.LayerNorm(d_hid)
        self.proj = nn.Linear(d_hid, vocab)

    def forward(self, ids: Tensor) -> Tensor:
        return self.proj(self.norm(self.core(self.emb(ids))))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

    @torch.no_grad()
    def sample(self, prompt: Tensor, n: int) -> Tensor:
        ids = prompt
        for _ in range(n):
            logits = self(ids)[:, -1]
            ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], 1)
        return ids


def windows(text: str, vocab: dict, size: int, batch: int) -> Iterator[Tuple[Tensor]]:
    stream = torch.tensor([vocab[c] for c in text])
    while True:
        starts = torch.randint(0, len(stream) - size, (batch,)).tolist()
        yield torch.stack([stream[s:s + size] for s in starts])


def train(steps: int = 3) -> CharLM:
    text = "the quick brown fox jumps over the lazy dog " * 4
    vocab = {c: i for i, c in enumerate(sorted(set(text)))}
    model = CharLM(len(vocab))
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    stream = windows(text, vocab, 13, 4)
    for step in range(steps):
        loss = model.loss(next(stream))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, round(loss.item(), 4))
    return model


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    lm = train()
    print(lm.sample(torch.zeros(1, 1, dtype=torch.long), 5))
