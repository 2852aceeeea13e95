"""torchvision 0.29.2, torchvision/transforms/v2/functional/_color.py:542, 543 and 544: autocontrast.

Of a float image `amin` and `amax` save their results; `sub_` and two masked assignments overwrite them.
Each write raises alone: the other two are made harmless here by a clone, one after the other.
"""

import torch


def autocontrast(image: torch.Tensor, kept: int) -> torch.Tensor:
    minimum = image.amin(dim=(-2, -1), keepdim=True)
    maximum = image.amax(dim=(-2, -1), keepdim=True)
    eq_idxs = maximum == minimum
    difference = maximum if kept == 542 else maximum.clone()
    inv_scale = maximum if kept == 544 else difference.sub_(minimum.clone()).mul_(1.0)
    if kept != 543:
        minimum = minimum.clone()
    minimum[eq_idxs] = 0.0
    inv_scale[eq_idxs] = 1.0
    return image.sub(minimum).div_(inv_scale).clamp_(0, 1.0)


for line in (542, 543, 544):
    image = torch.rand(1, 3, 8, 8, requires_grad=True)
    try:
        autocontrast(image, kept=line).sum().backward()
    except RuntimeError as error:
        print(line, error)
    else:
        raise SystemExit(f"no error from line {line}")
