import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from contrast import MoCo, mlp_encoder

m = MoCo(mlp_encoder)
m(torch.randn(4, 3, 2, 2), torch.randn(4, 3, 2, 2))["loss_contrast"].backward()
print("ok")
