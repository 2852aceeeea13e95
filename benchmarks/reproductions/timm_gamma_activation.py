"""timm 1.0.31, timm/models/nfnet.py:88: the result of the activation is scaled in place.

`GammaAct` is built with "relu" unless it is told another name, and a rectifier keeps its own result for backward. The
models of the package that scale their activations ask for "gelu" or "silu", which keep their inputs; `act_layer="relu"`
runs into the error.
"""

import torch
import torch.nn.functional as F

gamma = 1.7139588594436646
x = torch.randn(2, 8, requires_grad=True)
out = F.relu(x, inplace=False).mul_(gamma)

try:
    out.sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
