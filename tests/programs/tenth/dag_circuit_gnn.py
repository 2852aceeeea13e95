"""Circuit property prediction: nodes of a DAG are updated level by level, attending to their predecessors."""
from dataclasses import dataclass
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class Circuit:
    gate: Tensor
    adj: Tensor

    def levels(self) -> List[Tensor]:
        depth = torch.zeros(len(self.gate), dtype=torch.long)
        for i in range(len(self.gate)):
            parents = self.adj[i].nonzero().squeeze(1)
            if len(parents):
                depth[i] = depth[parents].max() + 1
        return [(depth == d).nonzero().squeeze(1) for d in range(int(depth.max()) + 1)]

    @staticmethod
    def random(n: int, kinds: int) -> "Circuit":
        adj = torch.zeros(n, n)
        for i in range(2, n):
            adj[i, torch.randperm(i)[:2]] = 1
        return Circuit(torch.randint(0, kinds, (n,)), adj.bool())


class NodeTable:
    """States of all nodes; rows are filled as the traversal reaches them."""

    def __init__(self, n: int, dim: int):
        self.rows = torch.zeros(n, dim)

    def commit(self, idx: Tensor, values: Tensor) -> None:
        self.rows[idx] = values  # BUG

    def gather(self, weights: Tensor) -> Tensor:
        return weights @ self.rows


class PredecessorAttention(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.query, self.key = nn.Linear(dim, 1, bias=False), nn.Linear(dim, 1, bias=False)

    def forward(self, x: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        scores = self.query(x) + self.key(states).T
        scores = F.leaky_relu(scores, 0.2)
        scores = scores.masked_fill(~mask, float("-inf"))
        return torch.softmax(scores, dim=-1)


class DagNet(nn.Module):
    def __init__(self, kinds: int, dim: int = 12):
        super().__init__()
        self.dim = dim
        self.embed = nn.Embedding(kinds, dim)
        self.attend = PredecessorAttention(dim)
        self.cell = nn.GRUCell(dim, dim)
        self.readout = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, 1))

    def traverse(self, circuit: Circuit, x: Tensor) -> Tensor:
        table = NodeTable(len(x), self.dim)
        for level, nodes in enumerate(circuit.levels()):
            if level == 0:
                message = torch.zeros(len(nodes), self.dim)
            else:
                weights = self.attend(x[nodes], table.rows.detach().clone(), circuit.adj[nodes])
                message = table.gather(weights)
            table.commit(nodes, self.cell(x[nodes], message))
        return table.rows

    def forward(self, circuit: Circuit) -> Tensor:
        h = self.traverse(circuit, self.embed(circuit.gate))
        is_sink = ~circuit.adj.any(0)
        return self.readout(h[is_sink].amax(0)).squeeze(-1)


class CircuitSet:
    def __init__(self, count: int, kinds: int = 4, seed: int = 0):
        torch.manual_seed(seed)
        self.items = [Circuit.random(int(torch.randint(6, 11, ())), kinds) for _ in range(count)]
        depth = torch.tensor([float(len(c.levels())) for c in self.items])
        depth -= depth.mean()
        self.target = depth.div_(depth.std())

    def batches(self, size: int):
        for idx in torch.randperm(len(self.items)).split(size):
            yield [self.items[i] for i in idx], self.target[idx]


def fit(model: DagNet, data: CircuitSet, epochs: int) -> float:
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(epochs):
        for circuits, y in data.batches(4):
            loss = F.mse_loss(torch.stack([model(c) for c in circuits]), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(50)
data = CircuitSet(8, seed=50)
fit(DagNet(4), data, epochs=1)
