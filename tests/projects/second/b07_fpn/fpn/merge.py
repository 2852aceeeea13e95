import torch.nn.functional as F


def upsample_add(top, lateral):
    lateral += F.interpolate(top, size=lateral.shape[-2:], mode="nearest")  # BUG
    return lateral
