import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w1 = nn.Linear(dim, dim, bias=False)
        self.w2 = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, 1, bias=False)

    def forward(self, dec, enc, mask):
        u = self.w1(enc)
        u += self.w2(dec).unsqueeze(1)
        u = self.v(u.tanh_()).squeeze(-1)
        w = torch.exp(u - u.max(1, keepdim=True)[0].detach())
        w = w * mask
        return w / w.sum(1, keepdim=True)


class Decoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cell = nn.LSTMCell(dim, dim)
        self.attn = Attention(dim)
        self.start = nn.Parameter(torch.zeros(dim))

    def forward(self, enc, hidden):
        B, N, D = enc.shape
        mask = torch.ones(B, N)
        x = self.start.expand(B, D)
        tour, logps = [], []
        for _ in range(N):
            hidden = self.cell(x, hidden)
            probs = self.attn(hidden[0], enc, mask)
            pick = self.select(probs)
            logps.append(probs.gather(1, pick).clamp(min=1e-9).log())
            tour.append(pick)
            mask.scatter_(1, pick, 0.0)  # BUG
            x = enc.gather(1, pick.unsqueeze(-1).expand(-1, -1, D)).squeeze(1)
        return torch.cat(tour, 1), torch.cat(logps, 1).sum(1)

    def select(self, probs):
        if self.training:
            return torch.multinomial(probs, 1)
        return probs.argmax(1, keepdim=True)


class PointerNet(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.emb = nn.Linear(2, dim)
        self.encoder = nn.LSTM(dim, dim, batch_first=True)
        self.decoder = Decoder(dim)

    def forward(self, x):
        enc, (h, c) = self.encoder(self.emb(x))
        return self.decoder(enc, (h[0], c[0]))
