from .coder import CoderConfig, DeltaCoder
from .losses import BoxRegLoss

__all__ = ["BoxRegLoss", "CoderConfig", "DeltaCoder"]
