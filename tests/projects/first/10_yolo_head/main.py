import torch

from train import HYP, train

if __name__ == "__main__":
    torch.manual_seed(0)
    train(HYP)
