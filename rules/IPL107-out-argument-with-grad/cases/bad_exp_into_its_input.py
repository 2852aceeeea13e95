"""`out=` names the input itself."""

import torch

x = torch.zeros(3, requires_grad=True)
y = x * 2
torch.exp(y, out=y)  # expect: IPL107
y.sum().backward()
