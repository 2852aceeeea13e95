"""The shortcut is activated as well."""

import torch
import torch.nn.functional as F


def block(x):
    identity = x
    x = F.relu(x, inplace=True)
    return x + identity  # expect: IPL204


x = torch.tensor([-3.0, 3.0])
wanted = F.relu(x) + x
assert not torch.allclose(block(x), wanted)
