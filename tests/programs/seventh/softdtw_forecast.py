import torch
import torch.nn as nn


class SoftDTW(nn.Module):
    """Soft dynamic time warping with the cost table kept in one tensor."""

    def __init__(self, gamma=0.1, bandwidth=0, normalize=False):
        super().__init__()
        self.gamma, self.bandwidth, self.normalize = gamma, bandwidth, normalize

    def _softmin(self, *args):
        stacked = torch.stack(args, dim=-1)
        return -self.gamma * torch.logsumexp(-stacked / self.gamma, dim=-1)

    def _allowed(self, i, j):
        return self.bandwidth == 0 or abs(i - j) <= self.bandwidth

    def _table(self, x, y):
        D = (x.unsqueeze(2) - y.unsqueeze(1)).pow(2).sum(-1)
        B, n, m = D.shape
        R = torch.full((B, n + 1, m + 1), 1e6)
        R[:, 0, 0] = 0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                if not self._allowed(i, j):
                    continue
                best = self._softmin(R[:, i - 1, j - 1], R[:, i - 1, j], R[:, i, j - 1])
                R[:, i, j] = D[:, i - 1, j - 1] + best
        return R[:, -1, -1]

    def forward(self, x, y):
        out = self._table(x, y)
        if self.normalize:
            out = out - 0.5 * (self._table(x, x) + self._table(y, y))
        return out.mean()


class Seq2SeqForecaster(nn.Module):
    def __init__(self, hidden=8, horizon=5):
        super().__init__()
        self.enc = nn.GRU(1, hidden, batch_first=True)
        self.cell = nn.GRUCell(1, hidden)
        self.out = nn.Linear(hidden, 1)
        self.horizon = horizon

    def forward(self, past):
        _, h = self.enc(past)
        h, last = h[0], past[:, -1]
        preds = past.new_empty(past.size(0), self.horizon, 1)
        for t in range(self.horizon):
            h = self.cell(last, h)
            last = last + self.out(h)
            preds[:, t] = last
        return preds


def make_steps(n, length, generator):
    """Noisy step functions with a random jump."""
    x = torch.zeros(n, length, 1)
    jump = torch.randint(length // 4, 3 * length // 4, (n,), generator=generator)
    for i, j in enumerate(jump):
        x[i, j:] += 1
    x.add_(torch.randn(x.shape, generator=generator), alpha=0.05)
    return x


def train(model, criterion, epochs=1, n=4, length=12, seed=0):
    g = torch.Generator().manual_seed(seed)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(epochs):
        x = make_steps(n, length, g)
        past, future = x[:, :-model.horizon], x[:, -model.horizon:]
        loss = criterion(model(past), future)
        opt.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.grad.clamp_(-1, 1)
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(Seq2SeqForecaster(), SoftDTW(gamma=0.5))
train(Seq2SeqForecaster(), SoftDTW(gamma=0.5, bandwidth=2, normalize=True))
