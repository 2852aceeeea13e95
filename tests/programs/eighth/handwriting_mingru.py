import types

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

hparams = types.SimpleNamespace(hidden=14, mixtures=3, bias=0.0, lr=3e-3, seq_len=7, batch=4)


def synth_strokes(n, t, rng):
    phase = rng.uniform(0, 2 * np.pi, size=(n, 1))
    grid = np.linspace(0, 4, t + 1)[None] + phase
    xy = np.stack([np.diff(np.cos(grid), axis=1), np.diff(np.sin(grid), axis=1)], -1)
    pen = (rng.uniform(size=(n, t, 1)) < 0.1).astype(np.float32)
    out = np.concatenate([xy, pen], -1).astype(np.float32)
    out[..., :2] /= out[..., :2].std()
    return torch.from_numpy(out)


class LightGRUCell(nn.Module):
    """Two-gate recurrent unit with a shared candidate."""

    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.n_hidden = n_hidden
        self.update = nn.Linear(n_in + n_hidden, n_hidden)
        self.cand_x = nn.Linear(n_in, n_hidden)
        self.cand_h = nn.Linear(n_hidden, n_hidden, bias=False)
        nn.init.constant_(self.update.bias, -1.0)
        nn.init.orthogonal_(self.cand_h.weight)

    def initial(self, b):
        return torch.zeros(b, self.n_hidden)

    def forward(self, x, h):
        z = torch.sigmoid(self.update(torch.cat([x, h], 1)))
        pre = self.cand_x(x)
        pre += self.cand_h(h)
        cand = torch.relu_(pre)
        h *= 1 - z  # BUG
        return h + z * cand


class MixtureHead(nn.Module):
    def __init__(self, n_hidden, k):
        super().__init__()
        self.k = k
        self.proj = nn.Linear(n_hidden, 5 * k + 1)

    def forward(self, h):
        o = self.proj(h)
        logit_pi, mx, my, lsx, lsy = o[..., :-1].chunk(5, -1)
        return logit_pi, torch.stack([mx, my], -1), torch.stack([lsx, lsy], -1).clamp(-5, 3), o[..., -1]

    def nll(self, params, target):
        logit_pi, mu, ls, pen = params
        diff = (target[..., None, :2] - mu) * torch.exp(-ls)
        comp = -0.5 * diff.pow(2).sum(-1) - ls.sum(-1) - np.log(2 * np.pi)
        ll = torch.logsumexp(F.log_softmax(logit_pi, -1) + comp, -1)
        return F.binary_cross_entropy_with_logits(pen, target[..., 2]) - ll.mean()


class HandwritingModel(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.cell = LightGRUCell(3, hp.hidden)
        self.head = MixtureHead(hp.hidden, hp.mixtures)

    def forward(self, strokes):
        h = self.cell.initial(strokes.size(0))
        states = []
        for step in strokes.unbind(1):
            h = self.cell(step, h)
            states.append(h.tanh())
        return self.head(torch.stack(states, 1))

    def loss(self, strokes):
        return self.head.nll(self(strokes[:, :-1]), strokes[:, 1:])


def fit(model, hp, steps, seed=1):
    rng = np.random.default_rng(seed)
    opt = torch.optim.RMSprop(model.parameters(), lr=hp.lr)
    curve = []
    for _ in range(steps):
        loss = model.loss(synth_strokes(hp.batch, hp.seq_len, rng))
        opt.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.grad.clamp_(-10, 10)
        opt.step()
        curve.append(float(loss))
    return curve


# --- driver ---
torch.manual_seed(0)
fit(HandwritingModel(hparams), hparams, 2)
