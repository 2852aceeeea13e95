"""A decoder with polar_bias_uniform_init cannot be built."""

from x_transformers import Decoder

Decoder(dim=32, depth=1, heads=2, polar_pos_emb=True, polar_bias_uniform_init=True)
