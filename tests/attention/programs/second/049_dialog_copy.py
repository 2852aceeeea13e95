"""Response generator that discounts what was already mentioned, turn by turn."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class DiscountedRead(nn.Module):
    def __init__(self, d, discount=0.3):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.kv = nn.Linear(d, 2 * d)
        self.discount = discount
        self.scale = d ** -0.5

    def forward(self, x, mem, trust=None, blocked=()):
        q = self.q(x)
        k, v = self.kv(mem).chunk(2, -1)
        s = torch.bmm(q, k.transpose(1, 2)) * self.scale
        w = F.softmax(s, -1)  # NOT
        w = w.clone()
        # already used entries lose part of their weight, nothing is handed to the others
        for j in blocked:
            w[:, :, j] *= self.discount
        w[:, 1:, 0] = 0.0
        if trust is not None:
            w.mul_(trust.unsqueeze(1))
        return torch.bmm(w, v), 1.0 - w.sum(-1, keepdim=True)


class Responder(nn.Module):
    def __init__(self, vocab=22, d=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.enc = nn.GRU(d, d, batch_first=True)
        self.dec = nn.GRU(d, d, batch_first=True)
        self.read = DiscountedRead(d)
        self.null = nn.Parameter(torch.randn(d) * 0.1)
        self.out = nn.Linear(2 * d, vocab)

    def forward(self, history, reply, trust=None):
        mem, h = self.enc(self.emb(history))
        x, _ = self.dec(self.emb(reply), h)
        repeated = [j for j in range(history.shape[1]) if (history[:, j] == history[:, 0]).all()]
        ctx, left = self.read(x, mem, trust, repeated[1:3])
        ctx = ctx + left * self.null
        return self.out(torch.cat([x, ctx], -1))


# --- driver ---
torch.manual_seed(49)
bot = Responder().double().eval()
RESULTS = []
for S, T, with_trust in ((8, 5, False), (11, 6, True)):
    hist = torch.randint(0, 22, (2, S))
    hist[:, 4] = hist[:, 0]
    rep = torch.randint(0, 22, (2, T))
    tr = torch.rand(2, S, dtype=torch.float64, requires_grad=True) if with_trust else None
    bot.zero_grad()
    y = bot(hist, rep, tr)
    F.cross_entropy(y[:, :-1].flatten(0, 1), rep[:, 1:].flatten()).backward()
    RESULTS.append(y.detach())
    if tr is not None:
        RESULTS.append(tr.grad)
    RESULTS += [p.grad.clone() for p in bot.parameters()]
