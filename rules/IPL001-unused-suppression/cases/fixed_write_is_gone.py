"""The write became an ordinary addition, the comment stayed."""

import torch

x = torch.ones(3, requires_grad=True)
y = torch.sigmoid(x)
y = y + 1
y.sum().backward()
