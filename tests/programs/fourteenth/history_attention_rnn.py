# Forecaster: an RNN that attends over all of its previous states.
import torch
from torch import nn


class Tape:
    """Fixed-size record of states; `view()` gives the part written so far."""

    def __init__(self, batch, steps, width):
        self.data = torch.zeros(batch, steps, width)
        self.length = 0

    def write(self, state):
        self.data[:, self.length] = state  # BUG
        self.length += 1

    def view(self):
        return self.data[:, : self.length]

    def __len__(self):
        return self.length


class AdditiveAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.wq, self.wk = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.energy = nn.Linear(width, 1, bias=False)

    def forward(self, query, memory):
        e = self.energy(torch.tanh(self.wq(query).unsqueeze(1) + self.wk(memory)))
        a = torch.softmax(e, dim=1)
        return (a * memory).sum(1)


class RecallRNN(nn.Module):
    def __init__(self, channels, width=16):
        super().__init__()
        self.width = width
        self.cell = nn.LSTMCell(channels + width, width)
        self.recall = AdditiveAttention(width)
        self.readout = nn.Linear(2 * width, channels)

    def forward(self, series):
        batch, steps, _ = series.shape
        h = c = series.new_zeros(batch, self.width)
        context = series.new_zeros(batch, self.width)
        tape = Tape(batch, steps, self.width)
        predictions = []
        for t in range(steps):
            h, c = self.cell(torch.cat([series[:, t], context], dim=1), (h, c))
            tape.write(h)
            context = self.recall(h, tape.view())
            predictions.append(self.readout(torch.cat([h, context], dim=1)))
        return torch.stack(predictions, dim=1)


class WindowSet(torch.utils.data.Dataset):
    def __init__(self, series, window):
        self.series, self.window = series, window

    def __len__(self):
        return self.series.size(0) - self.window

    def __getitem__(self, i):
        piece = self.series[i: i + self.window + 1]
        return piece[:-1], piece[1:]


def quantile_loss(pred, target, q=0.7):
    gap = target - pred
    return torch.maximum(q * gap, (q - 1) * gap).mean()


def synthetic(length, channels):
    t = torch.arange(length).float().unsqueeze(1)
    period = torch.linspace(5, 17, channels)
    return torch.sin(2 * torch.pi * t / period) + 0.1 * torch.randn(length, channels)


def train(model, dataset, epochs, lr):
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, total_steps=epochs * len(loader))
    for _ in range(epochs):
        for past, future in loader:
            loss = quantile_loss(model(past), future)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            yield loss.item()


# --- driver ---
torch.manual_seed(4)
for value in train(RecallRNN(3), WindowSet(synthetic(40, 3), 10), epochs=1, lr=1e-2):
    print(round(value, 4))
