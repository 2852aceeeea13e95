"""Edge-conditioned message passing on random molecule-like graphs; graph-level regression."""
import torch
import torch.nn as nn
from typing import NamedTuple


class Graphs(NamedTuple):
    atoms: torch.Tensor      # (N,) atom types
    edges: torch.Tensor      # (2, E)
    bonds: torch.Tensor      # (E,) bond types
    owner: torch.Tensor      # (N,) graph index
    target: torch.Tensor     # (G,)


def random_graphs(count, atom_types=5, bond_types=3):
    atoms, edges, bonds, owner, target, offset = [], [], [], [], [], 0
    for g in range(count):
        n = int(torch.randint(4, 9, ()))
        a = torch.randint(0, atom_types, (n,))
        parent = torch.tensor([int(torch.randint(0, i, ())) for i in range(1, n)])
        child = torch.arange(1, n)
        e = torch.stack([torch.cat([parent, child]), torch.cat([child, parent])])
        b = torch.randint(0, bond_types, (n - 1,)).repeat(2)
        atoms.append(a)
        edges.append(e + offset)
        bonds.append(b)
        owner.append(torch.full((n,), g))
        target.append(a.float().mean() + 0.1 * b.float().sum())
        offset += n
    return Graphs(torch.cat(atoms), torch.cat(edges, 1), torch.cat(bonds), torch.cat(owner), torch.stack(target))


def scatter_sum(values, index, size):
    return values.new_zeros(size, values.size(1)).index_add_(0, index, values)


class MessageNet(nn.Module):
    def __init__(self, dim, bond_types):
        super().__init__()
        self.bond = nn.Embedding(bond_types, dim)
        self.src, self.dst = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, h, edges, bonds):
        src, dst = edges
        z = self.src(h)[src] + self.dst(h)[dst] + self.bond(bonds)
        return self.out(torch.relu_(z))


class Interaction(nn.Module):
    """Residual update of the nodes from their incoming messages."""

    def __init__(self, dim, bond_types):
        super().__init__()
        self.message = MessageNet(dim, bond_types)
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, edges, bonds):
        m = self.message(h, edges, bonds)
        degree = torch.bincount(edges[1], minlength=h.size(0)).clamp_(min=1)
        m = m / degree[edges[1]].unsqueeze(1)
        h.index_add_(0, edges[1], m)  # BUG
        return self.norm(h)


class MoleculeNet(nn.Module):
    def __init__(self, atom_types=5, bond_types=3, dim=16, depth=3):
        super().__init__()
        self.atom = nn.Embedding(atom_types, dim)
        self.layers = nn.ModuleList([Interaction(dim, bond_types) for _ in range(depth)])
        self.gate, self.value = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, g):
        h = self.atom(g.atoms)
        for layer in self.layers:
            h = layer(h, g.edges, g.bonds)
        pooled = scatter_sum(torch.sigmoid(self.gate(h)) * self.value(h), g.owner, g.target.size(0))
        return self.head(pooled).squeeze(1)


def fit(net, batches, lr):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    curve = []
    for g in batches:
        loss = nn.functional.smooth_l1_loss(net(g), g.target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve.append(loss.item())
    return curve


# --- driver ---
torch.manual_seed(1)
print(fit(MoleculeNet(), (random_graphs(6) for _ in range(3)), 2e-3))
