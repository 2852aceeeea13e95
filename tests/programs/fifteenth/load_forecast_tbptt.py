"""Electric-load forecasting with an LSTM trained chunk by chunk over a long series."""
import torch
from torch import nn


class LoadModel(nn.Module):
    def __init__(self, n_in=3, hidden=24, n_out=1):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.LSTMCell(n_in, hidden)
        self.head = nn.Linear(hidden, n_out)

    def initial(self, batch):
        z = torch.zeros(batch, self.hidden)
        return z, z.clone()

    def forward(self, chunk, state):
        preds = []
        for x_t in chunk.unbind(1):
            state = self.cell(x_t, state)
            preds.append(self.head(state[0]))
        return torch.stack(preds, 1), state


def calendar_features(load):
    t = torch.arange(load.size(1)).float()
    day = torch.stack([torch.sin(t / 24 * 6.283), torch.cos(t / 24 * 6.283)], -1)
    return torch.cat([load.unsqueeze(-1), day.expand(load.size(0), -1, -1)], -1)


def standardise(x):
    x = x.clone()
    x -= x.mean(1, keepdim=True)
    x /= x.std(1, keepdim=True)
    return x


class ChunkedTrainer:
    def __init__(self, model, chunk=8, keep_graph_every=4, **opt_kw):
        self.model = model
        self.chunk = chunk
        self.keep = keep_graph_every
        self.opt = torch.optim.Adam(model.parameters(), **opt_kw)
        self.state = None

    def chunks(self, series):
        feats = calendar_features(series)
        for lo in range(0, series.size(1) - self.chunk, self.chunk):
            yield feats[:, lo:lo + self.chunk], series[:, lo + 1:lo + self.chunk + 1]

    def maybe_cut(self, i):
        """Cut the history once every few chunks so that long-range credit can flow."""
        if self.state is None or i % self.keep == 0:
            self.state = self.model.initial(self.batch)

    def epoch(self, series):
        self.batch = series.size(0)
        total = 0.0
        for i, (x, y) in enumerate(self.chunks(series)):
            self.maybe_cut(i)
            pred, self.state = self.model(x, self.state)
            loss = (pred.squeeze(-1) - y).abs().mean()
            self.opt.zero_grad()
            loss.backward(retain_graph=True)
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()  # BUG
            total += loss.item()
        return total


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    load = standardise(torch.randn(4, 40).cumsum(1))
    trainer = ChunkedTrainer(LoadModel(), chunk=8, lr=1e-3)
    for epoch in range(2):
        print(epoch, trainer.epoch(load))
