"""The argument's name is bound to a new tensor before anything is written."""

import torch
from torch import Tensor


def normalize(image: Tensor) -> Tensor:
    image = image - image.mean()
    image /= image.std()
    return image


def masked(image: Tensor) -> Tensor:
    image = image.clone()
    image[image < 0] = 0
    return image


image = torch.randn(4, 4)
before = image.clone()
normalize(image)
masked(image)
changed = not torch.equal(image, before)
