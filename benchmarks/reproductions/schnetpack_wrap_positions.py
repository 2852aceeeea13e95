"""schnetpack 2.1.1, transform/neighborlist.py:670: positions are scattered into what masked_select saved.

Raises where the positions or the cell require grad, as they do for forces and stress.
"""

import torch

positions = torch.rand(5, 3, requires_grad=True)
cell = torch.eye(3).mul(2.0)
pbc = torch.tensor([True, True, False])
eps = 1e-6

inverse_cell = torch.inverse(cell)
inv_positions = torch.sum(positions[..., None] * inverse_cell[None, ...], dim=1)
periodic = torch.masked_select(inv_positions, pbc[None, ...])
periodic = periodic + eps
periodic = periodic % 1.0
periodic = periodic - eps
inv_positions.masked_scatter_(pbc[None, ...], periodic)
wrapped = torch.sum(inv_positions[..., None] * cell[None, ...], dim=1)
try:
    wrapped.sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
