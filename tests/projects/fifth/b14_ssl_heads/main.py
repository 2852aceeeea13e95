import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from ssl_heads import SwAVHead

h = SwAVHead(5)
h([torch.randn(4, 5) for _ in range(3)]).backward()
print("ok")
