import torch

from cyc.cycle_gan import CycleGAN

if __name__ == "__main__":
    torch.manual_seed(0)
    model = CycleGAN()
    for _ in range(3):
        model.optimize_parameters(torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8))
        print(model.get_current_losses())
