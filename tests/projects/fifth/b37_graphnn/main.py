import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from graphnn import GAT

g = torch.tensor([[0, 1, 2, 3, 0, 2], [1, 2, 3, 0, 2, 0]])
GAT(3, 4, 2)(g, torch.randn(4, 3)).sum().backward()
print("ok")
