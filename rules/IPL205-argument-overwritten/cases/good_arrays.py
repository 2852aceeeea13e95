"""A file that knows of numpy and not of torch changes arrays."""

import numpy as np


def scale(boxes, points, low=0.9, high=1.1):
    factor = np.random.uniform(low, high)
    boxes[:, :6] *= factor
    points[:, :3] = points[:, :3] * factor
    return boxes, points


def mirror(boxes):
    boxes[:, 1] = -boxes[:, 1]
    return boxes
