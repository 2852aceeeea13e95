"""`contiguous` copies an expanded tensor, and `repeat_interleave` never shares memory."""

import torch

row = torch.arange(4.0)
table = row.unsqueeze(0).expand(3, 4).contiguous()
table += 1.0
pairs = row.repeat_interleave(2)
pairs *= 2.0
