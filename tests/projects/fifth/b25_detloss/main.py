import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from detloss import build_loss

loss = build_loss(dict(type="FocalLoss", loss_weight=2.0))
x = torch.randn(4, 3, requires_grad=True)
loss(x, torch.tensor([0, 3, 2, 1]), avg_factor=3.0).backward()
print("ok")
