"""Clinical notes -> codes.  Each code has its own evidence distribution over tokens, which has to be sharp."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EvidenceReader(nn.Module):
    def __init__(self, d, heads=2):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)

    def split(self, x):
        return x.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, codes, tokens, pad=None):
        q, k, v = self.split(self.q(codes)), self.split(self.k(tokens)), self.split(self.v(tokens))
        s = q @ k.transpose(-1, -2) / k.shape[-1] ** 0.5
        if pad is not None:
            s = s.masked_fill(pad[:, None, None], -1e9)
        a = s.softmax(-1)  # NOT
        entropy = -(a * (a + 1e-12).log()).sum(-1)
        o = (a @ v).transpose(1, 2).flatten(2)
        return o, a, entropy


class NoteCoder(nn.Module):
    def __init__(self, vocab=40, d=16, n_codes=6):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.rnn = nn.GRU(d, d // 2, bidirectional=True, batch_first=True)
        self.codes = nn.Parameter(torch.randn(n_codes, d))
        self.reader = EvidenceReader(d)
        self.out = nn.Parameter(torch.randn(n_codes, d) * 0.2)

    def forward(self, ids, pad=None):
        h, _ = self.rnn(self.tok(ids))
        c = self.codes.expand(ids.shape[0], -1, -1)
        o, a, ent = self.reader(c, h, pad)
        logits = (o * self.out).sum(-1)
        return logits, a, ent

    def loss(self, ids, y, pad=None, lam=0.1, spans=None):
        logits, a, ent = self(ids, pad)
        loss = F.binary_cross_entropy_with_logits(logits, y)
        loss = loss + lam * (ent.mean(1) * y).sum() / y.sum().clamp(min=1)
        if spans is not None:
            # marked evidence must receive the mass
            mass = (a.mean(1) * spans[:, None]).sum(-1)
            loss = loss - 0.5 * (mass.clamp_min(1e-6).log() * y).mean()
        return loss, logits, a


# --- driver ---
torch.manual_seed(43)
coder = NoteCoder().double().eval()
RESULTS = []
for n, padded in ((12, False), (18, True)):
    ids = torch.randint(0, 40, (2, n))
    y = torch.tensor([[1, 0, 0, 1, 0, 1], [0, 1, 0, 0, 0, 1]]).double()
    pad = (torch.arange(n) >= torch.tensor([[n], [n - 5]])) if padded else None
    spans = (torch.rand(2, n) < 0.4).double() if padded else None
    coder.zero_grad()
    loss, logits, a = coder.loss(ids, y, pad, spans=spans)
    loss.backward()
    RESULTS += [loss.detach(), logits.detach(), a.detach()]
    RESULTS += [p.grad.clone() for p in coder.parameters()]
