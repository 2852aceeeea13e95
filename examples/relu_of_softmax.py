"""Softmax computes its gradient from its result; an in-place ReLU on the result spoils it, though it changes no value."""

import torch
import torch.nn.functional as F

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

with torch.no_grad():
    F.relu_(torch.softmax(a, dim=0))
print("without gradients it runs")

y = F.relu_(torch.softmax(a, dim=0))
try:
    y[0].backward()
except RuntimeError as error:
    print("backward raises:", error)
