import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from kge import KGEConfig, KGEModel

m = KGEModel(KGEConfig(7, 2, max_norm=1.0))
m.loss(torch.tensor([[0, 1, 2], [3, 0, 4]])).backward()
print("ok")
