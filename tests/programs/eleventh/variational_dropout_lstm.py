"""Language model with locked (variational) dropout: one mask for a whole sequence, AWD style."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LockedMask:
    """Bernoulli mask for (batch, dim), drawn into one piece of memory and scaled."""

    def __init__(self, p):
        self.p, self.mask = p, None

    def redraw(self, batch, dim):
        if self.mask is None or self.mask.shape != (batch, dim):
            self.mask = torch.empty(batch, dim)
        self.mask.bernoulli_(1 - self.p)  # BUG
        return self

    def apply(self, x):
        keep = self.mask if x.dim() == 2 else self.mask.unsqueeze(1)
        return x * keep / (1 - self.p)


class LockedLSTM(nn.Module):
    def __init__(self, n_in, hidden, lock: LockedMask):
        super().__init__()
        self.cell = nn.LSTMCell(n_in, hidden)
        self.lock = lock

    def forward(self, x):
        b = x.shape[0]
        h = c = x.new_zeros(b, self.cell.hidden_size)
        if self.training:
            self.lock.redraw(b, self.cell.hidden_size)
        out = []
        for frame in x.unbind(1):
            h, c = self.cell(frame, (h, c))
            if self.training:
                h = self.lock.apply(h)
            out.append(h)
        return torch.stack(out, 1)


class AWDModel(nn.Module):
    def __init__(self, vocab=32, dim=24, depth=2, p=0.3):
        super().__init__()
        lock = LockedMask(p)
        self.emb = nn.Embedding(vocab, dim)
        self.rnns = nn.ModuleList([LockedLSTM(dim, dim, lock) for _ in range(depth)])
        self.out = nn.Linear(dim, vocab)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        raw = [self.emb(ids)]
        for rnn in self.rnns:
            raw.append(rnn(raw[-1]))
        return self.out(raw[-1]), raw[1:]


def activation_penalties(states, alpha=2.0, beta=1.0):
    last = states[-1]
    ar = alpha * last.pow(2).mean()
    tar = beta * (last[:, 1:] - last[:, :-1]).pow(2).mean()
    return ar + tar


class NTASGD:
    """Switches to averaging when the loss has not improved for a while."""

    def __init__(self, model, lr, patience=2):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.patience, self.log, self.mean, self.n = patience, [], None, 0

    @torch.no_grad()
    def step(self, loss):
        self.opt.step()
        self.log.append(loss)
        if self.mean is None and len(self.log) > self.patience and loss > min(self.log[:-self.patience]):
            self.mean = [p.clone() for p in self.model.parameters()]
        elif self.mean is not None:
            self.n += 1
            for m, p in zip(self.mean, self.model.parameters()):
                m.lerp_(p, 1 / (self.n + 1))


def markov_text(n, length, vocab):
    ids = torch.randint(0, vocab, (n, 1))
    rows = [ids]
    for _ in range(length):
        ids = (3 * ids + torch.randint(0, 3, (n, 1))) % vocab
        rows.append(ids)
    return torch.cat(rows, 1)


# --- driver ---
torch.manual_seed(0)
model = AWDModel()
algo = NTASGD(model, lr=0.5)
for _ in range(3):
    ids = markov_text(8, 10, 32)
    logits, states = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()) + activation_penalties(states)
    model.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    algo.step(loss.item())
