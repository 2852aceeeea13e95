import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from ssmkit import SSMConfig, SSMStack

m = SSMStack(SSMConfig(scan="lowmem"))
m(torch.randn(2, 4, 4)).sum().backward()
print("ok")
