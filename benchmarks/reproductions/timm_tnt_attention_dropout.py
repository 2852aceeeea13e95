"""timm 1.0.31, timm/models/tnt.py:65: dropout with `inplace=True` overwrites the result that softmax saved.

Raises in training whenever `attn_drop` is above 0 (the default is 0, where dropout writes nothing).
"""

import torch
from torch import nn

attn_drop = nn.Dropout(0.1, inplace=True)
q, k = torch.randn(2, 2, 4, 16, 8, requires_grad=True)

attn = (q @ k.transpose(-2, -1)) * 8**-0.5
attn = attn.softmax(dim=-1)
attn = attn_drop(attn)

try:
    attn.sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
