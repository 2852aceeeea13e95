import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from stylekit import Generator

Generator()(torch.randn(2, 8)).pow(2).mean().backward()
print("ok")
