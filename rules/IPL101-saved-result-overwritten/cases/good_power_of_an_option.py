"""A power keeps its result where its exponent requires grad: that of a function's option is a number."""

import torch


def sharpened(temperature=0.25):
    def sharpen(p):
        sharp = p ** (1.0 / temperature)
        sharp /= sharp.sum(1, keepdim=True)
        return sharp

    return sharpen


def scaled(p, exponent):
    power = p**exponent
    power /= torch.sum(power)
    return power


if __name__ == "__main__":
    p = torch.rand(3, 4, requires_grad=True)
    (sharpened()(p) * scaled(p, 2)).square().sum().backward()
