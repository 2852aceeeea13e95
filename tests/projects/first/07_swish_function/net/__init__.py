from .blocks import build_block
