"""transformers 5.23.0, models/doge/modeling_doge.py:425 and modular_doge.py:370: routing weights are normalised.

softmax saves its result, which the division then overwrites. Raises in training with `norm_topk_prob=True`.
"""

import torch
import torch.nn.functional as F
from torch import nn

router_gate = nn.Linear(8, 16, bias=False)

scores, position_indices = router_gate(torch.randn(4, 8)).topk(4, dim=-1)
routing_weights = F.softmax(scores, dim=-1)
routing_weights /= routing_weights.sum(dim=-1, keepdim=True)

try:
    (routing_weights**2).sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
