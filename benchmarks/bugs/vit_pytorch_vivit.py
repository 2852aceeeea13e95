"""ViViT with flash attention (the default) drops attention weights in evaluation."""

import torch
from vit_pytorch.vivit import ViViT

for flash in (False, True):
    torch.manual_seed(0)
    model = ViViT(
        image_size=32,
        image_patch_size=16,
        frames=4,
        frame_patch_size=2,
        num_classes=10,
        dim=32,
        spatial_depth=1,
        temporal_depth=1,
        heads=2,
        dim_head=16,
        mlp_dim=64,
        dropout=0.5,
        use_flash_attn=flash,
    ).eval()
    video = torch.randn(1, 3, 4, 32, 32)
    print(f"use_flash_attn={flash}: two evaluations agree: {torch.equal(model(video), model(video))}")
