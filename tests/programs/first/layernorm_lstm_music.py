"""Layer-normalised LSTM with zoneout for polyphonic music modelling."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LNLSTMCell(nn.Module):
    def __init__(self, d_in, d_h, forget_bias=1.0):
        super().__init__()
        self.d_h, self.forget_bias = d_h, forget_bias
        self.w = nn.Parameter(torch.empty(d_in, 4 * d_h))
        self.u = nn.Parameter(torch.empty(d_h, 4 * d_h))
        self.b = nn.Parameter(torch.zeros(4 * d_h))
        self.ln_x, self.ln_h, self.ln_c = nn.LayerNorm(4 * d_h), nn.LayerNorm(4 * d_h), nn.LayerNorm(d_h)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.w)
        for k in range(4):
            nn.init.orthogonal_(self.u.data[:, k * self.d_h:(k + 1) * self.d_h])
        with torch.no_grad():
            self.b[self.d_h:2 * self.d_h] += self.forget_bias

    def forward(self, x, state):
        h, c = state
        gates = self.ln_x(x @ self.w)
        gates += self.ln_h(h @ self.u)
        gates += self.b
        i, f, g, o = gates.chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(self.ln_c(c))
        return h, c


class Zoneout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, new, old):
        if not self.training:
            return (1 - self.p) * new + self.p * old
        mask = torch.empty_like(new).bernoulli_(self.p)
        return mask * old + (1 - mask) * new


class PianoRollRNN(nn.Module):
    def __init__(self, n_notes=24, d_h=20, layers=2, zoneout=0.1):
        super().__init__()
        self.cells = nn.ModuleList([LNLSTMCell(n_notes if i == 0 else d_h, d_h) for i in range(layers)])
        self.zone = Zoneout(zoneout)
        self.out = nn.Linear(d_h, n_notes)
        self.d_h = d_h

    def forward(self, roll, lengths):
        B, T, N = roll.shape
        state = [(roll.new_zeros(B, self.d_h), roll.new_zeros(B, self.d_h)) for _ in self.cells]
        logits = roll.new_zeros(B, T, N)
        for t in range(T):
            x = roll[:, t]
            alive = (t < lengths).float().unsqueeze(1)
            for k, cell in enumerate(self.cells):
                h0, c0 = state[k]
                h, c = cell(x, (h0, c0))
                h, c = self.zone(h, h0), self.zone(c, c0)
                state[k] = (alive * h + (1 - alive) * h0, alive * c + (1 - alive) * c0)
                x = state[k][0]
            logits[:, t] = self.out(x)
        return logits


def masked_nll(logits, roll, lengths):
    nll = F.binary_cross_entropy_with_logits(logits[:, :-1], roll[:, 1:], reduction='none').sum(-1)
    dead = torch.arange(nll.size(1)).unsqueeze(0) >= (lengths - 1).unsqueeze(1)
    nll[dead] = 0.0
    return nll.sum() / (~dead).sum()


def transpose_(roll, max_shift=3):
    for b in range(roll.size(0)):
        s = int(torch.randint(-max_shift, max_shift + 1, ()))
        roll[b] = roll[b].roll(s, dims=-1)
        if s > 0:
            roll[b, :, :s] = 0
        elif s < 0:
            roll[b, :, s:] = 0
    return roll


def fit(model, batches, lr=2e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for roll, lengths in batches:
        roll = transpose_(roll)
        loss = masked_nll(model(roll, lengths), roll, lengths)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    return loss.item()


# --- driver ---
make = lambda: ((torch.rand(3, 7, 24) < 0.15).float(), torch.tensor([7, 5, 4]))
print(fit(PianoRollRNN(), [make() for _ in range(2)]))
