"""One tensor is appended before it is filled, if the image has boxes at all, and once more afterwards."""

import torch


def overlaps_of(images):
    found = []
    for image in images:
        overlaps = torch.zeros(len(image.truth))
        if len(image.boxes) > 0:
            found.append(overlaps)
        for number, box in enumerate(image.boxes):
            overlaps[number] = image.truth.overlap(box)
        found.append(overlaps)
    return torch.cat(found)  # expect: IPL204
