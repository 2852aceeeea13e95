"""Pointer network, supervised TSP (toy version)"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.W1 = nn.Linear(hidden, hidden, bias=False)
        self.W2 = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, dec, enc, mask):
        u = self.v(torch.tanh(self.W1(enc) + self.W2(dec).unsqueeze(1))).squeeze(-1)
        return u.masked_fill(mask, -1e9)


class PtrNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.embed = nn.Linear(2, hidden)
        self.encoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.decoder = nn.LSTMCell(hidden, hidden)
        self.start = nn.Parameter(torch.zeros(hidden))
        self.attn = Attention(hidden)

    def forward(self, cities, target):
        b, n, _ = cities.shape
        emb = self.embed(cities)
        enc, (h, c) = self.encoder(emb)
        h, c = h[0], c[0]
        inp = self.start.expand(b, -1)
        mask = torch.zeros(b, n, dtype=torch.bool)
        logits = []
        for t in range(n):
            h, c = self.decoder(inp, (h, c))
            logits.append(self.attn(h, enc, mask))
            choice = target[:, t]
            mask[torch.arange(b), choice] = True  # BUG
            inp = emb[torch.arange(b), choice]
        return torch.stack(logits, dim=1)


def nearest_neighbour_tour(pts):
    tour, left = [0], set(range(1, len(pts)))
    while left:
        cur = pts[tour[-1]]
        nxt = min(left, key=lambda j: float((pts[j] - cur).norm()))
        tour.append(nxt)
        left.remove(nxt)
    return torch.tensor(tour)


def make_batch(b, n):
    pts = torch.rand(b, n, 2)
    return pts, torch.stack([nearest_neighbour_tour(p) for p in pts])


if __name__ == '__main__':
    torch.manual_seed(0)
    model = PtrNet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(6):
        pts, tour = make_batch(16, 6)
        logits = model(pts, tour)
        loss = F.cross_entropy(logits.reshape(-1, 6), tour.reshape(-1))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        opt.step()
        print(step, loss.item())
