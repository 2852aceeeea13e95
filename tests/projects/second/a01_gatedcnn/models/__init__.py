from .blocks import GatedBlock
from .net import GatedNet

__all__ = ["GatedBlock", "GatedNet"]
