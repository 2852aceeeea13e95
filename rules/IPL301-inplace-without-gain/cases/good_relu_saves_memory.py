"""ReLU, sigmoid and addition in place hold one tensor less than out of place."""

import torch
import torch.nn.functional as F

weight = torch.randn(4, 4, requires_grad=True)
hidden = torch.randn(2, 4) @ weight
hidden.add_(1.0)
hidden = F.relu(hidden, inplace=True)
hidden.sum().backward()
