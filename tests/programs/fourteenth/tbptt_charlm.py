import torch
import torch.nn as nn
from collections import deque


class GRUCellLM(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(vocab, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.readout = nn.Linear(hidden, vocab)

    def initial(self, batch):
        return torch.zeros(batch, self.hidden)

    def step(self, token, state):
        state = self.cell(self.embed(token), state)
        return self.readout(state), state


class Stream:
    """Cuts one long token sequence to `lanes` parallel lanes and yields chunks."""

    def __init__(self, tokens, lanes, chunk):
        per_lane = tokens.numel() // lanes
        self.grid = tokens[: per_lane * lanes].view(lanes, per_lane)
        self.chunk = chunk

    def __iter__(self):
        last = self.grid.size(1) - 1
        for lo in range(0, last, self.chunk):
            hi = min(lo + self.chunk, last)
            yield self.grid[:, lo:hi], self.grid[:, lo + 1: hi + 1]


class TruncatedTrainer:
    """Backpropagates each chunk through the last `k2` chunks as well."""

    def __init__(self, model, lr=0.05, k2=2):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.loss_fn = nn.CrossEntropyLoss()
        self.window = deque(maxlen=k2)

    def run_chunk(self, inputs, targets, state):
        total = 0.0
        for t in range(inputs.size(1)):
            logits, state = self.model.step(inputs[:, t], state)
            total = total + self.loss_fn(logits, targets[:, t])
        return total / inputs.size(1), state

    def carry(self, state):
        self.window.append(state)
        if len(self.window) < self.window.maxlen:
            return state
        self.window.clear()
        return state.detach()

    def epoch(self, stream, lanes):
        state = self.model.initial(lanes)
        losses = []
        for inputs, targets in stream:
            loss, state = self.run_chunk(inputs, targets, state)
            self.opt.zero_grad()
            loss.backward(retain_graph=True)
            nn.utils.clip_grad_value_(self.model.parameters(), 0.5)
            self.opt.step()  # BUG
            state = self.carry(state)
            losses.append(loss.item())
        return losses


def bits_per_char(losses):
    return sum(losses) / len(losses) / torch.log(torch.tensor(2.0)).item()


# --- driver ---
torch.manual_seed(7)
text = torch.randint(0, 12, (400,))
trainer = TruncatedTrainer(GRUCellLM(12, 16))
print(bits_per_char(trainer.epoch(Stream(text, lanes=5, chunk=8), lanes=5)))
