"""The argument is an array: the function computes with it by numpy."""

import numpy as np
import torch


def voxels(cloud, size=0.05):
    cloud[:, 3] = cloud[:, 3] / 255
    grid = np.round(cloud[:, :3] / size)
    kept = cloud
    inside = grid.min(1) > 0
    return {"cloud": cloud, "kept": torch.from_numpy(kept[inside]).float()}


def show(paths, draw):
    for path in paths:
        points = np.fromfile(path, dtype=np.float32)
        if len(points) == 0:
            continue
        points = points.reshape(-1, 4)
        made = voxels(points)
        draw(points, made["cloud"])
