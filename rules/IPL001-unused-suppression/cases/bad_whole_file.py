"""Nothing in this file is of the kind that the comment silences."""
# inplace-lint: file-ignore[leaf-overwritten]  # expect: IPL001

import torch

x = torch.ones(3)
x += 1
