import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from convnets import ConvVAE, elbo_loss

m = ConvVAE(equalized=True, act_gain=True)
x = torch.rand(2, 1, 16, 16)
r, mu, lv = m(x)
elbo_loss(r, x, mu, lv).backward()
print("ok")
