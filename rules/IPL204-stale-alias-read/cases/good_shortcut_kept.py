"""The shortcut is a copy, or the change makes a new tensor."""

import torch
import torch.nn.functional as F

x = torch.randn(3)
identity = x.clone()
x = F.relu(x, inplace=True)
y = x + identity
shortcut = x
x = F.relu(x - 1)
z = x + shortcut
