"""Streaming keyword spotter: the recurrent memory survives between audio chunks."""
import torch
from torch import nn


class StreamingMixin:
    """Persistent per-stream memory stored as a buffer."""

    def init_memory(self, streams, dim):
        self.register_buffer("memory", torch.zeros(streams, dim), persistent=False)

    def remember(self, value):
        self.memory.copy_(value.detach())  # BUG

    def forget(self, which=None):
        if which is None:
            self.memory = torch.zeros_like(self.memory)
        else:
            keep = torch.ones(len(self.memory), 1)
            keep[which] = 0.0
            self.memory = self.memory * keep


class LiGRU(nn.Module, StreamingMixin):
    """Light gated recurrent unit (no reset gate)."""

    def __init__(self, streams, d_in, d_hid):
        super().__init__()
        self.wx = nn.Linear(d_in, 2 * d_hid)
        self.uh = nn.Linear(d_hid, 2 * d_hid, bias=False)
        nn.init.orthogonal_(self.uh.weight)
        self.init_memory(streams, d_hid)

    def step(self, wx_t, h):
        z, cand = (wx_t + self.uh(h)).chunk(2, -1)
        z = torch.sigmoid(z)
        return z * h + (1 - z) * torch.relu(cand)

    def forward(self, x):
        h = self.memory
        pre = self.wx(x)
        out = []
        for t in range(x.size(1)):
            h = self.step(pre[:, t], h)
            out.append(h)
        self.remember(h)
        return torch.stack(out, 1)


class Spotter(nn.Module):
    def __init__(self, streams, n_feats=13, hidden=20, words=6):
        super().__init__()
        self.pre = nn.Sequential(nn.Linear(n_feats, hidden), nn.PReLU())
        self.rnn = LiGRU(streams, hidden, hidden)
        self.post = nn.Linear(hidden, words)

    def forward(self, x):
        h = self.rnn(self.pre(x))
        return self.post(h.amax(1))


class AudioStreams:
    def __init__(self, streams, n_feats, words, chunk):
        self.shape = (streams, chunk, n_feats)
        self.words = words

    def __iter__(self):
        drift = torch.zeros(self.shape[0], 1, self.shape[2])
        while True:
            drift += 0.1 * torch.randn_like(drift)
            ended = torch.rand(self.shape[0]) < 0.2
            yield drift + torch.randn(self.shape), torch.randint(self.words, (self.shape[0],)), ended


def train(steps=3):
    torch.manual_seed(0)
    model = Spotter(streams=4)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    crit = nn.CrossEntropyLoss()
    for step, (x, y, ended) in zip(range(steps), AudioStreams(4, 13, 6, 7)):
        loss = crit(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.rnn.forget(ended)
        print(step, loss.item())


# --- driver ---
if __name__ == "__main__":
    train()
