"""Polyphonic music model with a hand-written LSTM cell."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNormLSTMCell(nn.Module):
    def __init__(self, n_in, hid):
        super().__init__()
        self.hid = hid
        self.ih = nn.Linear(n_in, 4 * hid, bias=False)
        self.hh = nn.Linear(hid, 4 * hid)
        self.ln = nn.LayerNorm(hid)
        with torch.no_grad():
            self.hh.bias.zero_()
            self.hh.bias[hid:2 * hid].fill_(1.0)

    def forward(self, x, h, c):
        gates = self.ih(x)
        gates += self.hh(h)
        i, f, g, o = gates.split(self.hid, dim=1)
        c = c * torch.sigmoid(f)
        c.addcmul_(torch.sigmoid(i), torch.tanh(g))
        h = torch.sigmoid(o) * torch.tanh(self.ln(c))
        return h, c


class PianoRollModel(nn.Module):
    def __init__(self, notes=12, hid=16, keep=0.9):
        super().__init__()
        self.cell = LayerNormLSTMCell(notes, hid)
        self.readout = nn.Linear(hid, notes)
        self.keep = keep

    def zero_state(self, b):
        return torch.zeros(b, self.cell.hid), torch.zeros(b, self.cell.hid)

    def forward(self, roll):
        b, t, n = roll.shape
        h, c = self.zero_state(b)
        logits = torch.empty(t, b, n)
        drop = torch.empty(b, self.cell.hid).bernoulli_(self.keep).div_(self.keep)
        for s in range(t):
            h, c = self.cell(roll[:, s], h, c)
            logits[s] = self.readout(h * drop if self.training else h)
        return logits.transpose(0, 1)

    @torch.no_grad()
    def generate(self, steps, threshold=0.5):
        self.eval()
        h, c = self.zero_state(1)
        frame = torch.zeros(1, self.readout.out_features)
        song = torch.zeros(steps, frame.size(1), dtype=torch.bool)
        for s in range(steps):
            h, c = self.cell(frame, h, c)
            p = self.readout(h).sigmoid_()
            song[s] = p[0] > threshold
            frame.zero_()
            frame[0, song[s]] = 1.0
        self.train()
        return song


def chord_progression(b, t, notes, seed=0):
    g = torch.Generator().manual_seed(seed)
    roll = torch.zeros(b, t, notes)
    root = torch.randint(0, notes, (b, t // 2), generator=g).repeat_interleave(2, 1)
    for off in (0, 4, 7):
        roll.scatter_(2, ((root + off) % notes).unsqueeze(2), 1.0)
    return roll


def frame_f1(logits, target):
    pred = logits > 0
    t = target.bool()
    tp = (pred & t).sum().float()
    return (2 * tp / (pred.sum() + t.sum()).clamp_(min=1)).item()


def train(model, rolls, epochs, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    scores = []
    for _ in range(epochs):
        logits = model(rolls[:, :-1])
        loss = F.binary_cross_entropy_with_logits(logits, rolls[:, 1:])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        scores.append(frame_f1(logits.detach(), rolls[:, 1:]))
    return scores


# --- driver ---
torch.manual_seed(0)
music = PianoRollModel()
train(music, chord_progression(3, 8, 12), epochs=2)
music.generate(6)
