# Tacotron-ish decoder, only the part with location sensitive attention.
import torch
import torch.nn as nn
import torch.nn.functional as F


class LocationLayer(nn.Module):
    def __init__(self, n_filters, kernel, att_dim):
        super().__init__()
        self.conv = nn.Conv1d(1, n_filters, kernel, padding=kernel // 2, bias=False)
        self.dense = nn.Linear(n_filters, att_dim, bias=False)

    def forward(self, cum):
        return self.dense(self.conv(cum.unsqueeze(1)).transpose(1, 2))


class LocationSensitiveAttention(nn.Module):
    def __init__(self, q_dim, m_dim, att_dim=24):
        super().__init__()
        self.wq = nn.Linear(q_dim, att_dim, bias=False)
        self.wm = nn.Linear(m_dim, att_dim, bias=False)
        self.loc = LocationLayer(6, 7, att_dim)
        self.v = nn.Linear(att_dim, 1)
        self.cumulative = None
        self.keys = None

    def reset(self, memory, lengths):
        self.keys = self.wm(memory)
        self.memory = memory
        self.cumulative = memory.new_zeros(memory.shape[:2])
        steps = torch.arange(memory.shape[1])
        self.pad = steps[None, :] >= lengths[:, None]

    def score(self, query):
        e = self.v(torch.tanh(self.wq(query).unsqueeze(1) + self.keys + self.loc(self.cumulative))).squeeze(-1)
        e.masked_fill_(self.pad, -1e4)
        return e

    def forward(self, query):
        w = F.softmax(self.score(query), dim=-1)
        ctx = torch.bmm(w.unsqueeze(1), self.memory).squeeze(1)
        self.cumulative += w  # BUG
        return ctx, w


class MelDecoder(nn.Module):
    def __init__(self, n_mels=12, m_dim=20, hid=32):
        super().__init__()
        self.prenet = nn.Sequential(nn.Linear(n_mels, 16), nn.ReLU(inplace=True), nn.Dropout(0.5))
        self.rnn = nn.LSTMCell(16 + m_dim, hid)
        self.att = LocationSensitiveAttention(hid, m_dim)
        self.out = nn.Linear(hid + m_dim, n_mels)
        self.n_mels, self.m_dim, self.hid = n_mels, m_dim, hid

    def forward(self, memory, lengths, mels):
        B, T, _ = mels.shape
        self.att.reset(memory, lengths)
        h = memory.new_zeros(B, self.hid)
        c = memory.new_zeros(B, self.hid)
        ctx = memory.new_zeros(B, self.m_dim)
        prev = memory.new_zeros(B, self.n_mels)
        frames = []
        for t in range(T):
            h, c = self.rnn(torch.cat([self.prenet(prev), ctx], -1), (h, c))
            ctx, _ = self.att(h)
            frames.append(self.out(torch.cat([h, ctx], -1)))
            prev = mels[:, t]          # teacher forcing
        return torch.stack(frames, 1)


def fit(encoder, decoder, batches, lr=2e-3):
    params = list(encoder.parameters()) + list(decoder.parameters())
    opt = torch.optim.Adam(params, lr=lr)
    for text, lengths, mels in batches:
        memory, _ = encoder(text)
        loss = F.l1_loss(decoder(memory, lengths, mels), mels)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(1)
enc = nn.GRU(8, 10, batch_first=True, bidirectional=True)
dec = MelDecoder()
data = [(torch.randn(3, 9, 8), torch.tensor([9, 7, 5]), torch.randn(3, 6, 12)) for _ in range(3)]
for l in fit(enc, dec, data):
    print(f"{l:.4f}")
