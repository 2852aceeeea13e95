"""The input asks for its gradient before it is normalised."""

import torch
from torch import nn


def saliency(model, image):
    image = image.detach().clone().requires_grad_()
    with torch.no_grad():
        image -= 0.5
    model(image).max().backward()
    return image.grad.abs()


if __name__ == "__main__":
    saliency(nn.Linear(4, 3), torch.rand(4))
