"""Under this manager PyTorch copies what is about to be changed."""

import torch

x = torch.randn(4, requires_grad=True)
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    y = torch.sigmoid(x)
    y.mul_(2)
    y.sum().backward()
