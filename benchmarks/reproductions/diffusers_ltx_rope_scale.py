"""diffusers 0.42.1, models/transformers/transformer_ltx.py:218, 219 and 220: the grid is scaled into itself.

The product saves a view of the grid, which the assignment changes. Raises only where the scale is a tensor
that requires grad; the pipeline passes numbers.
"""

import torch

for axis in (0, 1, 2):
    scale = torch.tensor(0.5, requires_grad=True)
    grid = torch.rand(1, 3, 2, 4, 4)
    grid[:, axis : axis + 1] = grid[:, axis : axis + 1] * scale / 20
    try:
        grid.sum().backward()
    except RuntimeError as error:
        print(error)
    else:
        raise SystemExit("no error")
