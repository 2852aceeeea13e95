import torch.nn.functional as F
from torch import nn

from fomaml import Reptile
from sine import sine_task


def main():
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    algo = Reptile(net, F.mse_loss)
    for _ in range(2):
        algo.step([sine_task() for _ in range(2)])
    return [p.detach() for p in net.parameters()]


if __name__ == "__main__":
    main()
