from typing import Iterator, Optional, Tuple

import torch
from torch import Tensor, nn


class StreamState:
    """Hidden and cell state per layer, carried from frame to frame."""

    def __init__(self, n_layers: int, batch: int, dim: int):
        self.h = [torch.zeros(batch, dim) for _ in range(n_layers)]
        self.c = [torch.zeros(batch, dim) for _ in range(n_layers)]

    def reset_rows(self, finished: Tensor) -> None:
        for layer in range(len(self.h)):
            self.c[layer] = self.c[layer].masked_fill(finished[:, None], 0.0)
            self.h[layer][finished] = 0.0  # BUG

    def detach(self) -> "StreamState":
        self.h = [t.detach() for t in self.h]
        self.c = [t.detach() for t in self.c]
        return self


class StackedCell(nn.Module):
    def __init__(self, in_dim: int, dim: int, n_layers: int):
        super().__init__()
        self.cells = nn.ModuleList(
            nn.LSTMCell(in_dim if i == 0 else dim, dim) for i in range(n_layers)
        )

    def forward(self, x: Tensor, state: StreamState) -> Tensor:
        for i, cell in enumerate(self.cells):
            state.h[i], state.c[i] = cell(x, (state.h[i], state.c[i]))
            x = state.h[i]
        return x


class StreamTagger(nn.Module):
    def __init__(self, vocab: int, tags: int, dim: int = 16, layers: int = 2):
        super().__init__()
        self.dim, self.layers = dim, layers
        self.embed = nn.Embedding(vocab, dim)
        self.core = StackedCell(dim, dim, layers)
        self.out = nn.Linear(dim, tags)
        self.eos = 0

    def new_state(self, batch: int) -> StreamState:
        return StreamState(self.layers, batch, self.dim)

    def forward(self, tokens: Tensor, state: Optional[StreamState] = None) -> Tuple[Tensor, StreamState]:
        state = state or self.new_state(tokens.size(0))
        logits = []
        for t in range(tokens.size(1)):
            tok = tokens[:, t]
            logits.append(self.out(self.core(self.embed(tok), state)))
            state.reset_rows(tok == self.eos)
        return torch.stack(logits, 1), state


def windows(tokens: Tensor, tags: Tensor, size: int) -> Iterator[Tuple[Tensor, Tensor]]:
    for s in range(0, tokens.size(1) - size + 1, size):
        yield tokens[:, s:s + size], tags[:, s:s + size]


def train_stream(model: StreamTagger, opt, tokens: Tensor, tags: Tensor, size: int = 4) -> float:
    crit = nn.CrossEntropyLoss()
    state, total = None, 0.0
    for x, y in windows(tokens, tags, size):
        logits, state = model(x, state)
        loss = crit(logits.flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        state = state.detach()
        total += loss.item()
    return total


# --- driver ---
torch.manual_seed(3)
tagger = StreamTagger(vocab=9, tags=3)
opt = torch.optim.Adam(tagger.parameters(), lr=1e-2)
toks = torch.randint(0, 9, (3, 8))
toks[1, 1] = 0
print(train_stream(tagger, opt, toks, torch.randint(0, 3, (3, 8))))
