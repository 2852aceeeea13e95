"""transformers 5.23.0, models/sam/modeling_sam.py:387, and seven models after it: a target embedding for all layers.

`queries` of the second round are what the layer norm of the layer before gave, which the attention after it saved as
the input of its projection. With `target_embedding=` of the mask decoder and gradients recorded.
"""

import torch
from torch import nn

points = torch.randn(1, 5, 16)
target = torch.randn(1, 5, 16)
projections = nn.ModuleList(nn.Linear(16, 16) for _ in range(2))
norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(2))

queries = points
kept = []
for project, norm in zip(projections, norms):
    queries += target
    queries = norm(queries + project(queries + points))
    kept.append(
        projections[0](queries)
    )  # the attention of the image to the points has `queries` for its values
try:
    (queries.sum() + sum(kept).sum()).backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
