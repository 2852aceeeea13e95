"""Each corner is clamped by its own name: where two names are one tensor, the second clamp changes nothing."""

import torch


def corners(x, y, width, height):
    x_west, y_north = x.floor(), y.floor()
    x_east = x_west + 1
    y_here = y_north
    weight = (x_east - x) * (y_here + 1 - y)
    torch.clamp(x_west, 0, width - 1, out=x_west)
    torch.clamp(y_north, 0, height - 1, out=y_north)
    torch.clamp(x_east, 0, width - 1, out=x_east)
    torch.clamp(y_here, 0, height - 1, out=y_here)
    return weight, y_north * width + x_west, y_here * width + x_east
