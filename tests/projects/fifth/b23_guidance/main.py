import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from guidance import MLPDenoiser, build_sampler

m = MLPDenoiser(3)
s = build_sampler("ddpm", m)
s.sample(torch.randn(4, 3)).pow(2).sum().backward()
print("ok")
