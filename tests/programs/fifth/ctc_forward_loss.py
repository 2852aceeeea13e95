"""A readable CTC loss in log space, with an acoustic model and a greedy decoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F

NEG = -1e5


def extend_labels(y, blank=0):
    ext = torch.full((y.size(0), 2 * y.size(1) + 1), blank, dtype=y.dtype)
    ext[:, 1::2] = y
    return ext


def skip_mask(ext, blank=0):
    ok = torch.zeros_like(ext, dtype=torch.bool)
    ok[:, 2:] = (ext[:, 2:] != blank) & (ext[:, 2:] != ext[:, :-2])
    return ok


def shift(alpha, n):
    out = torch.full_like(alpha, NEG)
    out[:, n:] = alpha[:, :-n]
    return out


class CTC(nn.Module):
    def __init__(self, blank=0, reduction='mean'):
        super().__init__()
        self.blank, self.reduction = blank, reduction

    def forward(self, logits, y, in_len, y_len):
        logp = F.log_softmax(logits, -1)
        ext = extend_labels(y, self.blank)
        skip = skip_mask(ext, self.blank)
        B, S = ext.shape
        emit = logp.gather(2, ext[:, None].expand(-1, logp.size(1), -1))
        alpha = torch.full((B, S), NEG)
        alpha[:, :2] = emit[:, 0, :2]
        for t in range(1, logits.size(1)):
            jump = shift(alpha, 2)
            jump.masked_fill_(~skip, NEG)
            nxt = torch.logsumexp(torch.stack([alpha, shift(alpha, 1), jump]), 0)
            nxt = nxt + emit[:, t]
            live = (t < in_len)[:, None]
            alpha = torch.where(live, nxt, alpha)
        rows = torch.arange(B)
        ends = torch.stack([alpha[rows, 2 * y_len], alpha[rows, 2 * y_len - 1]])
        nll = torch.logsumexp(ends, 0).neg()
        nll /= y_len
        return nll.mean() if self.reduction == 'mean' else nll


class Acoustic(nn.Module):
    def __init__(self, feats, vocab, h=12):
        super().__init__()
        self.conv = nn.Conv1d(feats, h, 3, padding=1)
        self.rnn = nn.GRU(h, h, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * h, vocab)
        with torch.no_grad():
            self.out.bias[0].sub_(1.0)

    def forward(self, x):
        h = F.hardtanh_(self.conv(x.transpose(1, 2)), 0, 20).transpose(1, 2)
        h, _ = self.rnn(h)
        z = self.out(h)
        z *= 0.8
        return z


@torch.no_grad()
def greedy(logits, in_len, blank=0):
    best = logits.argmax(-1)
    best[torch.arange(best.size(1))[None] >= in_len[:, None]] = blank
    keep = best != blank
    keep[:, 1:] &= best[:, 1:] != best[:, :-1]
    return [b[k].tolist() for b, k in zip(best, keep)]


def cmvn_(x, lengths):
    for row, n in zip(x, lengths.tolist()):
        row[:n] -= row[:n].mean(0)
        row[:n] /= row[:n].std(0) + 1e-5
        row[n:] = 0
    return x


def fit(model, x, y, in_len, y_len, steps, lr=1e-2):
    crit, opt = CTC(), torch.optim.Adam(model.parameters(), lr=lr)
    x = cmvn_(x.clone(), in_len)
    for _ in range(steps):
        loss = crit(model(x), y, in_len, y_len)
        opt.zero_grad()
        loss.backward()
        total = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        for p in model.parameters():
            p.grad.mul_((5.0 / (total + 1e-6)).clamp(max=1.0))
        opt.step()
    return greedy(model(x), in_len)


# --- driver ---
torch.manual_seed(0)
y = torch.tensor([[1, 2, 3], [2, 2, 0]])
fit(Acoustic(5, 4), torch.randn(2, 9, 5), y, torch.tensor([9, 7]), torch.tensor([3, 2]), 2)
