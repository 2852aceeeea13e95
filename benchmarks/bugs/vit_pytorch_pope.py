"""A ViTND with pope_init_learned_bias_uniform cannot be built."""

from vit_pytorch.vit_nd_pope import ViTND

ViTND(
    ndim=2,
    input_shape=32,
    patch_size=16,
    num_classes=10,
    dim=32,
    depth=1,
    heads=2,
    mlp_dim=64,
    pope_init_learned_bias_uniform=True,
)
