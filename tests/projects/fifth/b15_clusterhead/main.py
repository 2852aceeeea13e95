import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from clusterhead import OnlineClusterHead

h = OnlineClusterHead(4, 3)
_, loss = h(torch.randn(6, 4))
loss.backward()
print("ok")
