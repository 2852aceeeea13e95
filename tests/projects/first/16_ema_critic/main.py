import torch

from distill.ddpg import Learner


def fake_batch(n=8):
    return {"o": torch.randn(n, 4), "a": torch.rand(n, 2) * 2 - 1, "r": torch.randn(n), "o2": torch.randn(n, 4)}


def main():
    torch.manual_seed(0)
    learner = Learner()
    for i in range(3):
        print(i, *learner.learn(fake_batch()))


if __name__ == "__main__":
    main()
