"""Language model built from gated linear recurrences (matrix-valued state)."""
import torch
import torch.nn.functional as F
from torch import nn


class GatedLinearRecurrence(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h, self.dk = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.decay = nn.Linear(dim, heads)
        self.gate = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim, bias=False)
        nn.init.constant_(self.decay.bias, 2.0)

    def project(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, self.dk).unbind(2)
        return q, k * self.dk ** -0.5, v, torch.sigmoid(self.decay(x))

    def forward(self, x, state=None):
        b, n, d = x.shape
        q, k, v, a = self.project(x)
        if state is None:
            state = x.new_zeros(b, self.h, self.dk, self.dk)
        y = x.new_zeros(b, n, self.h, self.dk)
        for t in range(n):
            state = state * a[:, t, :, None, None]
            state += torch.einsum("bhi,bhj->bhij", k[:, t], v[:, t])
            y[:, t] = torch.einsum("bhi,bhij->bhj", q[:, t], state)
        y = y.reshape(b, n, d)
        return self.out(y * F.silu(self.gate(x))), state


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.g, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        ms = x.pow(2).mean(-1, keepdim=True)
        ms += self.eps
        return x * ms.rsqrt() * self.g


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = RMSNorm(dim), RMSNorm(dim)
        self.mix = GatedLinearRecurrence(dim, heads)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(2 * dim, dim)

    def ffn(self, x):
        a, b = self.up(x).chunk(2, -1)
        return self.down(F.silu(a) * b)

    def forward(self, x, state=None):
        y, state = self.mix(self.n1(x), state)
        y += x
        z = self.ffn(self.n2(y))
        z += y
        return z, state


class RecurrentLM(nn.Module):
    def __init__(self, vocab, dim=24, heads=2, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(depth))
        self.norm, self.head = RMSNorm(dim), nn.Linear(dim, vocab)

    def forward(self, ids, states=None):
        x = self.emb(ids)
        states = states or [None] * len(self.layers)
        for i, layer in enumerate(self.layers):
            x, states[i] = layer(x, states[i])
        return self.head(self.norm(x)), states


def carry(states, reset):
    """Detach the states for the next segment and clear finished documents."""
    kept = []
    for s in states:
        s = s.detach().clone()
        s[reset] = 0.0
        kept.append(s)
    return kept


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    model = RecurrentLM(20)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    states = None
    for step in range(3):
        ids = torch.randint(0, 20, (3, 9))
        logits, states = model(ids[:, :-1], states)
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        states = carry(states, torch.rand(3) < 0.3)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
