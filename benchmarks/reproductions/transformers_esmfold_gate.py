"""transformers 5.23.0, models/esm/modeling_esmfold.py:663 and 664: a gate is multiplied in place after `sigmoid_`.

`sigmoid_` saves its result. `forward(..., inplace_safe=True)` reaches it; the method is described as meant for
inference, but nothing there looks at the grad mode. Each of the two products raises alone.
"""

import torch
from torch import nn

linear_g, linear_p = nn.Linear(4, 4), nn.Linear(4, 4)
pair, mask = torch.randn(3, 3, 4), torch.ones(3, 3, 1)

for factor in (linear_p(pair), mask):
    p = linear_g(pair)
    p.sigmoid_()
    p *= factor
    try:
        p.sum().backward()
    except RuntimeError as error:
        print(error)
    else:
        raise SystemExit("no error")
