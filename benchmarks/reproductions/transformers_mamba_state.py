"""transformers 5.23.0, models/mamba2/modeling_mamba2.py:232, and its copies: the state is multiplied, then overwritten.

One step of decoding computes the new state from `state * dA`, where dA comes from a parameter, and copies it into the
cache, which is that very state. With a cache and gradients recorded, backward raises.
"""

import torch

state = torch.randn(1, 4, 8)
log = torch.zeros(4, requires_grad=True)
decay = torch.exp(-log.exp())[:, None]
new = state * decay + torch.randn(1, 4, 8)
state.copy_(new)
try:
    (new * torch.randn(1, 4, 8)).sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
