"""Recurrent intensity model on packed event streams; states restart at stream boundaries."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TimeEncoding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.freq = nn.Parameter(torch.logspace(0, -2, dim // 2))

    def forward(self, dt):
        a = dt.unsqueeze(-1) * self.freq
        return torch.cat([a.sin(), a.cos()], dim=-1)


class ElmanCell(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.ih, self.hh = nn.Linear(d_in, d_h), nn.Linear(d_h, d_h, bias=False)
        nn.init.orthogonal_(self.hh.weight)

    def forward(self, x, h):
        return torch.tanh(self.ih(x) + self.hh(h))


class StreamRNN(nn.Module):
    def __init__(self, n_types, dim=8, hidden=16):
        super().__init__()
        self.hidden = hidden
        self.type_emb, self.time_enc = nn.Embedding(n_types, dim), TimeEncoding(dim)
        self.cell = ElmanCell(2 * dim, hidden)
        self.type_head = nn.Linear(hidden, n_types)
        self.rate_head = nn.Linear(hidden, 1)

    def reset(self, h, boundary):
        if boundary.any():
            h.data[boundary] = 0.0  # BUG silent
        return h

    def forward(self, types, dts, boundary):
        B, T = types.shape
        x = torch.cat([self.type_emb(types), self.time_enc(dts)], dim=-1)
        h = torch.zeros(B, self.hidden)
        logits, rates = [], []
        for t in range(T):
            h = self.reset(h, boundary[:, t])
            h = self.cell(x[:, t], h)
            logits.append(self.type_head(h))
            rates.append(F.softplus(self.rate_head(h)).squeeze(-1))
        return torch.stack(logits, 1), torch.stack(rates, 1)


class PointProcessLoss(nn.Module):
    def __init__(self, type_weight=1.0):
        super().__init__()
        self.type_weight = type_weight

    def forward(self, logits, rates, next_types, next_dts):
        nll_time = rates * next_dts - (rates + 1e-8).log()
        nll_type = F.cross_entropy(logits.flatten(0, 1), next_types.flatten(), reduction='none')
        return nll_time.mean() + self.type_weight * nll_type.mean()


class PackedStreams:
    """Concatenates streams of varying length into fixed rows with boundary flags."""

    def __init__(self, n_types, rows=4, length=10, p_end=0.25):
        self.n_types, self.rows, self.length, self.p_end = n_types, rows, length, p_end

    def __iter__(self):
        while True:
            types = torch.randint(0, self.n_types, (self.rows, self.length + 1))
            dts = torch.empty(self.rows, self.length + 1).exponential_(1.0)
            boundary = torch.rand(self.rows, self.length) < self.p_end
            boundary[:, 0] = True
            yield types, dts, boundary


def fit(model, streams, steps, lr=5e-3):
    crit = PointProcessLoss()
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for step, (types, dts, boundary) in zip(range(steps), streams):
        logits, rates = model(types[:, :-1], dts[:, :-1], boundary)
        loss = crit(logits, rates, types[:, 1:], dts[:, 1:])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        yield loss.item()


# --- driver ---
model = StreamRNN(5)
print(list(fit(model, PackedStreams(5), 2)))
