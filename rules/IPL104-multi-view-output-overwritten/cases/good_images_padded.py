"""Given images are copied into the rows of a fresh tensor: nothing was computed that a gradient could come from."""

import torch
from torch import nn


class Pad(nn.Module):
    def forward(self, images):
        height = max(image.shape[1] for image in images)
        width = max(image.shape[2] for image in images)
        batch = torch.zeros(len(images), images[0].shape[0], height, width)
        for image, row in zip(images, batch):
            row[: image.shape[0], : image.shape[1], : image.shape[2]].copy_(image)
        return batch


if __name__ == "__main__":
    Pad()([torch.randn(3, 4, 5), torch.randn(3, 6, 2)])
