import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from opticflow import SmallRAFT, sequence_loss

m = SmallRAFT()
p = m(torch.randn(1, 3, 8, 8), torch.randn(1, 3, 8, 8))
sequence_loss(p, torch.zeros(1, 2, 4, 4)).backward()
print("ok")
