"""min-char-rnn, batched, with a learned initial state."""
import torch
from torch import nn
from torch.nn import functional as F

TEXT = "the quick brown fox jumps over the lazy dog. pack my box with five dozen liquor jugs. " * 4
chars = sorted(set(TEXT))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in TEXT])
hidden_size = 24
seq_length = 12
learning_rate = 1e-1


def get_batch(bs):
    ix = torch.randint(len(data) - seq_length - 1, (bs,))
    x = torch.stack([data[i:i + seq_length] for i in ix])
    y = torch.stack([data[i + 1:i + 1 + seq_length] for i in ix])
    return x, y


class RNN(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.Wxh = nn.Embedding(vocab, hidden)
        self.Whh = nn.Parameter(torch.randn(hidden, hidden) * 0.01)
        self.bh = nn.Parameter(torch.zeros(hidden))
        self.h0 = nn.Parameter(torch.zeros(hidden))
        self.Why = nn.Linear(hidden, vocab)

    def forward(self, x):
        B, T = x.shape
        xs = self.Wxh(x)
        hs = torch.zeros(B, T + 1, self.h0.numel())
        hs[:, 0] = self.h0
        for t in range(T):
            pre = xs[:, t] + hs[:, t] @ self.Whh + self.bh
            hs[:, t + 1] = torch.tanh(pre)  # BUG
        return self.Why(hs[:, 1:])

    @torch.no_grad()
    def sample(self, seed_ix, n):
        h = self.h0.clone()
        out = [seed_ix]
        for _ in range(n):
            h = torch.tanh(self.Wxh.weight[out[-1]] + h @ self.Whh + self.bh)
            p = F.softmax(self.Why(h), dim=-1)
            out.append(int(torch.multinomial(p, 1)))
        return ''.join(chars[i] for i in out)


def adagrad(params, mem):
    with torch.no_grad():
        for p, m in zip(params, mem):
            p.grad.clamp_(-5, 5)
            m.add_(p.grad * p.grad)
            p.addcdiv_(p.grad, m.sqrt().add_(1e-8), value=-learning_rate)
            p.grad = None


def main(iters, bs=4):
    model = RNN(len(chars), hidden_size)
    params = list(model.parameters())
    mem = [torch.zeros_like(p) for p in params]
    smooth = None
    for n in range(iters):
        x, y = get_batch(bs)
        logits = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss.backward()
        adagrad(params, mem)
        smooth = loss.item() if smooth is None else 0.999 * smooth + 0.001 * loss.item()
    return model, smooth


# --- driver ---
torch.manual_seed(0)
main(1)
