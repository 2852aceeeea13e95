import numpy as np
import torch
import torch.nn as nn


class SensorDataset(torch.utils.data.Dataset):
    def __init__(self, n, length, channels, seed=0):
        rng = np.random.default_rng(seed)
        t = np.arange(length)[None, :, None]
        phase = rng.uniform(0, 2 * np.pi, (n, 1, channels))
        x = np.sin(0.3 * t + phase)
        x += 0.1 * rng.standard_normal(x.shape)
        self.x = torch.from_numpy(x).float()
        self.x -= self.x.mean(1, keepdim=True)
        self.y = torch.from_numpy((phase[:, 0].sum(-1) > np.pi * channels)).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def init_lstm(rnn: nn.LSTM, forget_bias: float = 1.0):
    for name, p in rnn.named_parameters():
        if name.startswith("weight_hh"):
            nn.init.orthogonal_(p)
        elif name.startswith("weight_ih"):
            nn.init.xavier_uniform_(p)
        elif name.startswith("bias"):
            nn.init.zeros_(p)
            h = p.shape[0] // 4
            p[h : 2 * h] = forget_bias  # BUG


class TemporalPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x, lengths):
        s = self.score(x).squeeze(-1)
        pad = torch.arange(x.size(1))[None] >= lengths[:, None]
        s.masked_fill_(pad, float("-inf"))
        return (s.softmax(-1).unsqueeze(-1) * x).sum(1)


class LSTMClassifier(nn.Module):
    def __init__(self, channels, hidden, n_cls):
        super().__init__()
        self.rnn = nn.LSTM(channels, hidden, batch_first=True)
        self.pool = TemporalPool(hidden)
        self.fc = nn.Linear(hidden, n_cls)
        init_lstm(self.rnn)

    def forward(self, x, lengths):
        out, _ = self.rnn(x)
        return self.fc(self.pool(out, lengths))


def collate(items, drop=0.2):
    xs, ys = zip(*items)
    x = torch.stack(xs)
    keep = torch.rand(x.shape[:2]) > drop
    x *= keep.unsqueeze(-1)
    return x, torch.full((len(xs),), x.size(1)), torch.stack(ys)


def fit(model, loader, epochs=1):
    opt = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for x, n, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x, n), y).backward()
            opt.step()


# --- driver ---
torch.manual_seed(0)
ds = SensorDataset(4, 6, 2)
loader = torch.utils.data.DataLoader(ds, batch_size=2, collate_fn=collate)
fit(LSTMClassifier(2, 4, 2), loader)
