import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from colorops import ColorJitter

x = torch.rand(2, 3, 4, 4, requires_grad=True)
ColorJitter()(x).sum().backward()
print("ok")
