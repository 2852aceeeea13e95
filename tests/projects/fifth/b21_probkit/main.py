import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from probkit import LogitNormal, monte_carlo_kl

loc = torch.zeros(3, requires_grad=True)
s = torch.ones(3, requires_grad=True)
q = LogitNormal(loc, s)
p = LogitNormal(torch.ones(3), torch.ones(3) * 2)
monte_carlo_kl(q, p).backward()
print("ok")
