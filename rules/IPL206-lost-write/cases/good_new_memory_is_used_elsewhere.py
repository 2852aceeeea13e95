"""What is made and changed is kept in a list."""

import torch

kept = []
x = torch.arange(4.0)
kept.append(x.clone().zero_())
print(kept)
