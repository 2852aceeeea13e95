import torch
import torch.nn as nn
import torch.nn.functional as F


def _convolve(w, s):
    """circular convolution of w (b, N) with the shift distribution s (b, 3)"""
    t = torch.cat([w[:, -1:], w, w[:, :1]], dim=1)
    return (t.unfold(1, 3, 1) * s.unsqueeze(1)).sum(-1)


class Memory(nn.Module):
    def __init__(self, N, M):
        super().__init__()
        self.N, self.M = N, M
        self.init = nn.Parameter(torch.randn(N, M) * 0.3)

    def reset(self, batch):
        return self.init.unsqueeze(0).repeat(batch, 1, 1)

    def address(self, mem, k, beta, g, s, gamma, w_prev):
        wc = self._similarity(mem, k, beta)
        wg = g * wc + (1 - g) * w_prev
        w_hat = _convolve(wg, s)
        w = w_hat.clamp_min(1e-12) ** gamma
        return w / (w.sum(1, keepdim=True) + 1e-16)

    def _similarity(self, mem, k, beta):
        kn = F.normalize(k.unsqueeze(1), dim=-1)
        mn = F.normalize(mem, dim=-1)
        return F.softmax(beta * torch.matmul(kn, mn.transpose(1, 2)).squeeze(1), dim=1)  # NOT

    @staticmethod
    def read(mem, w):
        return torch.matmul(w.unsqueeze(1), mem).squeeze(1)

    @staticmethod
    def write(mem, w, e, a):
        w = w.unsqueeze(-1)
        return mem * (1 - w * e.unsqueeze(1)) + w * a.unsqueeze(1)


class NTMCell(nn.Module):
    def __init__(self, n_in, n_out, hidden=16, N=9, M=5):
        super().__init__()
        self.memory = Memory(N, M)
        self.controller = nn.GRUCell(n_in + M, hidden)
        self.M = M
        self.read_head = nn.Linear(hidden, M + 1 + 1 + 3 + 1)
        self.write_head = nn.Linear(hidden, M + 1 + 1 + 3 + 1 + 2 * M)
        self.out = nn.Linear(hidden + M, n_out)
        self.hidden = hidden

    def _split(self, o):
        k, b, g, s, y = o[:, :self.M + 6].split([self.M, 1, 1, 3, 1], dim=1)
        return torch.tanh(k), F.softplus(b), torch.sigmoid(g), s.exp() / s.exp().sum(1, keepdim=True), 1 + F.softplus(y)

    def forward(self, seq):
        B, T, _ = seq.shape
        mem = self.memory.reset(B)
        h = seq.new_zeros(B, self.hidden)
        r = seq.new_zeros(B, self.M)
        wr = ww = seq.new_full((B, self.memory.N), 1.0 / self.memory.N)
        ys = []
        for t in range(T):
            h = self.controller(torch.cat([seq[:, t], r], 1), h)
            o = self.write_head(h)
            ww = self.memory.address(mem, *self._split(o), ww)
            e, a = o[:, self.M + 6:].chunk(2, dim=1)
            mem = self.memory.write(mem, ww, torch.sigmoid(e), torch.tanh(a))
            wr = self.memory.address(mem, *self._split(self.read_head(h)), wr)
            r = self.memory.read(mem, wr)
            ys.append(self.out(torch.cat([h, r], 1)))
        return torch.stack(ys, 1)


# --- driver ---
torch.manual_seed(27)
ntm = NTMCell(4, 3).double().eval()
RESULTS = []
for T in (4, 7):
    seq = torch.rand(2, T, 4, dtype=torch.float64).requires_grad_()
    ntm.zero_grad()
    y = ntm(seq)
    F.binary_cross_entropy_with_logits(y, torch.ones_like(y) * 0.3).backward()
    RESULTS += [y.detach(), seq.grad]
    RESULTS += [p.grad.clone() for p in ntm.parameters()]
