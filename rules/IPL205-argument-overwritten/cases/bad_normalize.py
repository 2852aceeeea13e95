"""A helper that returns its result changes what it was given."""

import torch
from torch import Tensor


def normalize(image: Tensor) -> Tensor:
    image -= image.mean()  # expect: IPL205
    image /= image.std()
    return image


image = torch.rand(4, 4)
before = image.clone()
normal = normalize(image)
changed = not torch.equal(image, before)
