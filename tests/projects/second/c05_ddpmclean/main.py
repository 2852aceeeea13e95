import torch
from diffusion import GaussianDiffusion, sample
from diffusion.net import Denoiser


def run():
    m = GaussianDiffusion(Denoiser(3, 20))
    out = []
    for _ in range(2):
        l = m(torch.randn(6, 3))
        l.backward()
        out.append(l)
    return out + [p.grad for p in m.parameters()] + [sample(m, 2, 3)]


run()
