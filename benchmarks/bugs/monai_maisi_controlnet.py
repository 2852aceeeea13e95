"""A MAISI U-Net that is given a ControlNet's residuals cannot be trained, nor can the ControlNet."""

import torch
from monai.apps.generation.maisi.networks.diffusion_model_unet_maisi import DiffusionModelUNetMaisi

unet = DiffusionModelUNetMaisi(
    spatial_dims=2,
    in_channels=1,
    out_channels=1,
    num_channels=(8, 8),
    attention_levels=(False, False),
    num_res_blocks=1,
    num_head_channels=8,
    norm_num_groups=4,
    include_top_region_index_input=False,
    include_bottom_region_index_input=False,
    include_spacing_input=False,
)
x, steps = torch.randn(1, 1, 16, 16), torch.tensor([10])
shapes = [(1, 8, 16, 16), (1, 8, 16, 16), (1, 8, 8, 8), (1, 8, 8, 8)]
residuals = [torch.randn(shape, requires_grad=True) for shape in shapes]
middle = torch.randn(1, 8, 8, 8, requires_grad=True)
unet(
    x, steps, down_block_additional_residuals=residuals, mid_block_additional_residual=middle
).sum().backward()
