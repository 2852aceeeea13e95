import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from srmodels import SRNet

SRNet(body="plain")(torch.rand(1, 3, 6, 6)).sum().backward()
print("ok")
