"""Each call puts the result where the argument was: among others, in an attribute, under a key."""

import torch
from torch import Tensor


def blacken(images: Tensor, scores: Tensor):
    bad = scores > 0
    images[bad] = 0.0
    return images, bad


class Batch:
    def __init__(self):
        self.images = torch.rand(3, 3)


scores = torch.tensor([-1.0, 1.0, 1.0])
batch, held, images = Batch(), {"images": torch.rand(3, 3)}, torch.rand(3, 3)
images, bad = blacken(images, scores)
batch.images, bad = blacken(batch.images, scores)
held["images"], bad = blacken(held["images"], scores)
print(images.mean(), batch.images.mean(), held["images"].mean(), bad)
changed = False
