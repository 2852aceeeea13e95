"""Truncated BPTT over a long stream with resets."""
import torch
import torch.nn as nn

torch.manual_seed(5)
torch.set_num_threads(1)


class StreamRNN(nn.Module):
    def __init__(self, d_in, d_h, d_out):
        super().__init__()
        self.inp = nn.Linear(d_in, 3 * d_h)
        self.rec = nn.Linear(d_h, 3 * d_h, bias=False)
        self.out = nn.Linear(d_h, d_out)
        self.d_h = d_h

    def cell(self, x, h):
        ix, fx, nx = self.inp(x).chunk(3, 1)
        ih, fh, nh = self.rec(h).chunk(3, 1)
        r = (ix + ih).sigmoid_()
        z = (fx + fh).sigmoid_()
        n = (nx + r * nh).tanh_()
        return n + z * (h - n)

    def forward(self, xs, h):
        T, B, _ = xs.shape
        hs = xs.new_empty(T, B, self.d_h)
        for t in range(T):
            h = self.cell(xs[t], h)
            hs[t] = h
        return self.out(hs), h


def stream(n_chunks, T, B):
    phase = torch.rand(B) * 6
    t0 = 0
    for _ in range(n_chunks):
        t = torch.arange(t0, t0 + T + 1).float()[:, None] * 0.3 + phase
        sig = torch.sin(t).unsqueeze(-1)
        reset = torch.rand(B) < 0.2
        yield sig[:-1], sig[1:], reset
        phase[reset] = torch.rand(int(reset.sum())) * 6
        t0 += T


def repackage(state):
    if isinstance(state, torch.Tensor):
        return state.detach().clone()
    return tuple(repackage(s) for s in state)


model = StreamRNN(1, 16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
B = 6
hidden = torch.zeros(B, 16)
running = None
for i, (x, y, reset) in enumerate(stream(10, 7, B)):
    pred, hidden = model(x, hidden)
    pred -= y
    loss = pred.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

    hidden = repackage(hidden)
    hidden[reset] = 0
    running = loss.detach() if running is None else running.mul_(0.9).add_(loss.detach(), alpha=0.1)
    if i % 3 == 0:
        print(i, f"{loss.item():.4f} {running.item():.4f}")
