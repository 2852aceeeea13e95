"""With use_flash_attention, dropout stays on in evaluation: two evaluations of one input differ."""

import torch
from monai.networks.blocks.selfattention import SABlock

for flash in (False, True):
    torch.manual_seed(0)
    block = SABlock(hidden_size=16, num_heads=2, dropout_rate=0.5, use_flash_attention=flash).eval()
    x = torch.randn(1, 4, 16)
    print(f"use_flash_attention={flash}: two evaluations agree: {torch.equal(block(x), block(x))}")
