"""GRU over piano-roll frames, stateful across consecutive chunks of a piece."""
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class StepOutput(NamedTuple):
    loss: torch.Tensor
    hidden: torch.Tensor
    hits: int


class PianoRollGRU(nn.Module):
    def __init__(self, n_pitch=24, hidden=32):
        super().__init__()
        self.inp = nn.Linear(n_pitch, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, n_pitch)
        self.hidden_size = hidden

    def forward(self, roll, hidden: Optional[torch.Tensor] = None):
        b, t, _ = roll.shape
        if hidden is None:
            hidden = roll.new_zeros(b, self.hidden_size)
        x = F.relu_(self.inp(roll))
        outputs = []
        for i in range(t):
            hidden = self.cell(x[:, i], hidden)
            outputs.append(self.norm(hidden))
        return self.out(torch.stack(outputs, dim=1)), hidden


class StatefulRunner:
    """Keeps the hidden state per stream and resets the rows where a piece starts."""

    def __init__(self, model, lr=5e-3):
        self.model = model
        self.opt = torch.optim.RMSprop(model.parameters(), lr=lr)
        self.hidden = None

    def reset_rows(self, rows):
        if self.hidden is not None:
            self.hidden[rows] = 0.0

    def step(self, chunk) -> StepOutput:
        inputs, targets = chunk[:, :-1], chunk[:, 1:]
        logits, hidden = self.model(inputs, self.hidden)
        loss = F.binary_cross_entropy_with_logits(logits, targets)
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(self.model.parameters(), 0.5)
        self.opt.step()
        self.hidden = hidden.detach()
        hits = int(((logits > 0) == targets.bool()).sum())
        return StepOutput(loss.detach(), self.hidden, hits)

    @torch.no_grad()
    def sample(self, seed, steps):
        roll = torch.zeros(seed.size(0), steps + 1, seed.size(1))
        roll[:, 0] = seed
        hidden = None
        for i in range(steps):
            logits, hidden = self.model(roll[:, i:i + 1], hidden)
            roll[:, i + 1] = torch.bernoulli(torch.sigmoid(logits[:, -1]))
        return roll


def fake_pieces(n, length, pitches):
    roll = torch.zeros(n, length, pitches)
    for i in range(n):
        for t in range(length):
            roll[i, t, (i * 3 + t) % pitches] = 1.0
    return roll


def fit(runner, roll, chunk=9):
    losses = []
    for i, start in enumerate(range(0, roll.size(1) - chunk + 1, chunk)):
        if i == 1:
            runner.reset_rows(torch.tensor([0]))
        losses.append(runner.step(roll[:, start:start + chunk]).loss)
    return torch.stack(losses)


# --- driver ---
torch.manual_seed(0)
runner = StatefulRunner(PianoRollGRU())
fit(runner, fake_pieces(3, 27, 24))
runner.sample(torch.zeros(2, 24), 3)
