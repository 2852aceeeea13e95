"""`out=` names the input itself."""

import torch

x = torch.zeros(3, requires_grad=True)
y = x * 2
y = torch.exp(y)
y.sum().backward()
