import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from tinynets import create_model

m = create_model("edgenet_nano_v1", num_classes=3)
m(torch.randn(2, 3, 16, 16)).sum().backward()
print("ok")
