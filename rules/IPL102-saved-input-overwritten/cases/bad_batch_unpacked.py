"""What is saved is written, though both were unpacked from a list of which nothing is known."""

import torch


def train(batches, weight):
    for batch in batches:
        first, second = [one.to("cpu") for one in batch]
        y = weight * second
        second += 1  # expect: IPL102
        (y + first).sum().backward()


if __name__ == "__main__":
    train([[torch.randn(3), torch.randn(3)]], torch.ones(3, requires_grad=True))
