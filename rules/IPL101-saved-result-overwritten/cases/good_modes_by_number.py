"""What one number decides: the save and the write belong to different modes."""

import torch


def activate(x, mode):
    y = torch.sigmoid(x) if mode == 1 else x * 2
    if mode == 2:
        y += 1
    return y


def main():
    for mode in (1, 2, 3):
        x = torch.randn(3, requires_grad=True)
        activate(x, mode).sum().backward()


if __name__ == "__main__":
    main()
