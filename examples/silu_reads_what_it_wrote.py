"""SiLU is x * sigmoid(x). Here the sigmoid goes into x first, and the product reads x after that."""

import torch
import torch.nn.functional as F

x = torch.tensor([-1.0, 0.0, 2.0])
expected = F.silu(x)

y = x.sigmoid_() * x

print("silu:               ", [round(v, 4) for v in expected.tolist()])
print("x.sigmoid_() * x:   ", [round(v, 4) for v in y.tolist()])
print("sigmoid(x) squared: ", [round(v, 4) for v in x.square().tolist()])
