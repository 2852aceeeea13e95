import torch
from torch import nn

head = nn.Linear(8, 4)
features = torch.randn(3, 8)
prototypes = torch.randn(4, 8, requires_grad=True)
gate = (features @ prototypes.t()).softmax(dim=-1)
loss = gate.log().mean() + head(features).softmax(dim=-1).sum()
loss.backward()
