"""Attention model for the travelling salesman problem, REINFORCE with greedy rollout baseline."""
import math
import torch
from torch import nn
from typing import NamedTuple


class TSPState(NamedTuple):
    coords: torch.Tensor
    visited: torch.Tensor
    first: torch.Tensor
    last: torch.Tensor

    @staticmethod
    def initial(coords):
        b, n, _ = coords.shape
        return TSPState(coords, torch.zeros(b, n, dtype=torch.bool), None, None)

    def step(self, choice):
        self.visited.scatter_(1, choice.unsqueeze(1), True)  # BUG
        first = choice if self.first is None else self.first
        return self._replace(first=first, last=choice)


class GraphEncoder(nn.Module):
    def __init__(self, d, layers):
        super().__init__()
        self.inp = nn.Linear(2, d)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d, 4, d * 2, dropout=0.0, batch_first=True) for _ in range(layers)
        )

    def forward(self, coords):
        h = self.inp(coords)
        for blk in self.blocks:
            h = blk(h)
        return h


class AttentionModel(nn.Module):
    def __init__(self, d=16, layers=1, clip=10.0):
        super().__init__()
        self.encoder = GraphEncoder(d, layers)
        self.placeholder = nn.Parameter(torch.randn(2 * d) * 0.1)
        self.to_q = nn.Linear(3 * d, d, bias=False)
        self.to_k = nn.Linear(d, d, bias=False)
        self.clip = clip

    def _context(self, h, state):
        graph = h.mean(1)
        if state.last is None:
            tail = self.placeholder.expand(h.shape[0], -1)
        else:
            rows = torch.arange(h.shape[0])
            tail = torch.cat([h[rows, state.first], h[rows, state.last]], -1)
        return torch.cat([graph, tail], -1)

    def forward(self, coords, greedy=False):
        h = self.encoder(coords)
        k = self.to_k(h)
        state = TSPState.initial(coords)
        tour, logps = [], []
        for _ in range(coords.shape[1]):
            q = self.to_q(self._context(h, state))
            u = torch.einsum("bd,bnd->bn", q, k) / math.sqrt(k.shape[-1])
            logp = (self.clip * torch.tanh(u)).masked_fill(state.visited, float("-inf")).log_softmax(-1)
            pick = logp.argmax(-1) if greedy else torch.multinomial(logp.detach().exp(), 1).squeeze(1)
            logps.append(logp.gather(1, pick.unsqueeze(1)).squeeze(1))
            tour.append(pick)
            state = state.step(pick)
        return torch.stack(tour, 1), torch.stack(logps, 1).sum(1)


def tour_length(coords, tour):
    ordered = coords.gather(1, tour.unsqueeze(-1).expand(-1, -1, 2))
    return (ordered - ordered.roll(-1, 1)).norm(dim=-1).sum(1)


def reinforce_epoch(model, opt, batches):
    for coords in batches:
        tour, ll = model(coords)
        with torch.no_grad():
            base_tour, _ = model(coords, greedy=True)
        adv = tour_length(coords, tour) - tour_length(coords, base_tour)
        loss = (adv * ll).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(2)
net = AttentionModel()
optim = torch.optim.Adam(net.parameters(), 1e-3)
print(list(reinforce_epoch(net, optim, [torch.rand(8, 6, 2) for _ in range(3)])))
