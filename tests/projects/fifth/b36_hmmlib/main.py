import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from hmmlib import HMM

m = HMM(3, 2, algorithm="scaled")
m(torch.randn(2, 5, 2)).backward()
print("ok")
