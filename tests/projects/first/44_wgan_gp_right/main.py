import torch

from wg.trainer import Trainer

if __name__ == "__main__":
    torch.manual_seed(0)
    t = Trainer()
    for _ in range(3):
        print(t.step(torch.randn(8, 5)))
