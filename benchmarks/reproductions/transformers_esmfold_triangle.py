"""transformers 5.23.0, models/esm/modeling_esmfold.py:807, 809 and 819: the pairs are updated into themselves.

The layer norm and the gate's product saved them. `forward(..., inplace_safe=True)` reaches it; the method is described
as meant for inference, but nothing there looks at the grad mode.
"""

import torch
from torch import nn

norm, linear_g, linear_z = nn.LayerNorm(4), nn.Linear(4, 4), nn.Linear(4, 4)


def chunk_added(z):
    z[:, 0:2] += linear_z(norm(z[:, 0:2])) * linear_g(norm(z[:, 0:2])).sigmoid()


def chunk_assigned(z):
    z[:, 0:2] = linear_z(norm(z[:, 0:2])) * linear_g(norm(z[:, 0:2])).sigmoid()


def all_added(z):
    z += linear_z(norm(z)) * linear_g(z).sigmoid()


for update in (chunk_added, chunk_assigned, all_added):
    z = torch.randn(3, 3, 4, requires_grad=True) * 1
    update(z)
    try:
        z.sum().backward()
    except RuntimeError as error:
        print(error)
    else:
        raise SystemExit("no error")
