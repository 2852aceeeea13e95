import torch

from ddpm.diffusion import GaussianDiffusion
from ddpm.net import Net
from ddpm.train import TrainLoop

if __name__ == "__main__":
    torch.manual_seed(0)
    loop = TrainLoop(Net(2), GaussianDiffusion())
    for _ in range(3):
        print(loop.run_step(torch.randn(16, 2)))
    print(loop.diff.p_sample_loop(loop.ema.net, (4, 2)).shape)
