import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from treenet import TreeLSTM, batch_levels

b = batch_levels(torch.randn(4, 3), [[[], []], [[0, 1]], [[2]]])
TreeLSTM(3, 4, readout="levels")(b).sum().backward()
print("ok")
