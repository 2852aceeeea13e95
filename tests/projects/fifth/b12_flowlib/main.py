import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from flowlib import make_realnvp

f = make_realnvp(4, scale_fn="softexp")
f.log_prob(torch.randn(6, 4)).mean().neg().backward()
print("ok")
