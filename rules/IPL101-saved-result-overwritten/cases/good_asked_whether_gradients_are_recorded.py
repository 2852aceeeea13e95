"""In place only where a predicate has found that nothing records a gradient."""

import torch
from torch import nn


def records(image, guide, sigma):
    return torch.is_grad_enabled() and (
        image.requires_grad
        or (guide is not None and guide.requires_grad)
        or (isinstance(sigma, torch.Tensor) and sigma.requires_grad)
    )


def is_plain(image, guide, sigma):
    return (
        image.device.type == "cpu"
        and image.dtype == torch.float32
        and (guide is None or guide.device.type == "cpu")
        and image.is_contiguous()
        and not torch.jit.is_tracing()
        and not records(image, guide, sigma)
        and image.numel() >= 8
    )


def weights(distances, sigma, in_place):
    if in_place:
        kernel = distances.mul_(-0.5).exp_()
        kernel.div_(kernel.sum(dim=-1, keepdim=True))
        return kernel
    kernel = (-0.5 * distances).exp()
    return kernel / kernel.sum(dim=-1, keepdim=True)


class Smoothing(nn.Module):
    def forward(self, image, guide=None, sigma=1.0):
        distances = (image if guide is None else guide) ** 2
        return weights(distances, sigma, is_plain(image, guide, sigma)) * image


if __name__ == "__main__":
    image = torch.randn(2, 8, requires_grad=True)
    Smoothing()(image).sum().backward()
    Smoothing()(image.detach())
