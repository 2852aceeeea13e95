import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from pcloss import build_loss

x = torch.randn(2, 6, 3, requires_grad=True)
build_loss({"type": "energy"})(x, torch.randn(2, 5, 3)).backward()
print("ok")
