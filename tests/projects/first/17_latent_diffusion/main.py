import torch

from ldm.pipeline import LatentDiffusion

if __name__ == "__main__":
    torch.manual_seed(0)
    ld = LatentDiffusion({"num_train_timesteps": 50})
    for i in range(2):
        print(i, ld.training_step(torch.rand(2, 1, 8, 8)))
    print(ld.sample(2).shape)
