import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from equi import EnergyReadout

pos = torch.randn(4, 3, requires_grad=True)
ei = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
EnergyReadout()(pos, ei).backward()
print("ok")
