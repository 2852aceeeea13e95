"""Each round hands on another part of the tensor, and no round reads a part that an earlier one was given."""

import torch
from torch import nn


class Member(nn.Module):
    def positive(self, outputs):
        outputs[:, 1] = torch.exp(outputs[:, 1]) + 0.1
        return outputs


def of_members(outputs, members, transform=None):
    found = torch.zeros_like(outputs)
    for place, member in enumerate(members):
        if transform:
            found[:, place, :] = transform(outputs[:, place, :])
        else:
            found[:, place, :] = member.positive(outputs[:, place, :])
    return found


if __name__ == "__main__":
    of_members(torch.randn(2, 3, 4), [Member() for _ in range(3)])
